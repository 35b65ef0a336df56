/* SPDX-License-Identifier: Apache-2.0 */
// Checks groups of files apart from the page, which stays usable; to cancel it, the page ends the worker.
import { check } from "./check.js";

const STEP = 0.01; // of all bytes, between two reports

self.addEventListener("message", async ({ data: { groups, reading } }) => {
  // Files are read twice: for their encoding, and for their records.
  const total = 2 * groups.flat().reduce((sum, { file }) => sum + file.size, 0) || 1;
  let seen = 0, reported = 0;
  const note = (nBytes) => {
    seen += nBytes;
    if (seen / total < reported + STEP) return;
    reported = seen / total;
    self.postMessage({ progress: Math.min(reported, 1) });
  };
  try {
    const results = [];
    for (const group of groups) results.push(await check(group, reading, note));
    self.postMessage({ results });
  } catch {
    self.postMessage({ results: null }); // a file that cannot be read, for example: the server says more
  }
});
