#!/bin/sh
# A command in the tree of an image as a container runs it: in.sh TREE DATA COMMAND…, under the environment it is given.
# The tree is read-only, /tmp is empty, /data is DATA; the user is 10001 without any capability. Mounts and processes are
# in namespaces of their own, which end with this process: nothing is left behind.
set -eu
if [ "${IN_NAMESPACE:-}" != 1 ]; then
    IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi
unset IN_NAMESPACE
tree=$1
data=$2
shift 2
mount --bind "$tree" "$tree"
mount --bind "$data" "$tree/data"
mount -t proc proc "$tree/proc"
mount -t tmpfs tmpfs "$tree/tmp"
mount -t tmpfs -o mode=755 tmpfs "$tree/dev"
mkdir "$tree/dev/shm"
mount -t tmpfs tmpfs "$tree/dev/shm"
for name in null zero random urandom; do
    touch "$tree/dev/$name"
    mount --bind "/dev/$name" "$tree/dev/$name"
done
mount -o remount,bind,ro "$tree"
exec chroot "$tree" setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs \
    --inh-caps=-all --bounding-set=-all sh -c 'cd /app && exec "$@"' in-image "$@"
