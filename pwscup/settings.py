# SPDX-License-Identifier: Apache-2.0
"""Django settings: one file for the embedded and the distributed mode, which differ only in the environment."""

from csp.constants import NONE, SELF, UNSAFE_INLINE
from django.utils.translation import gettext_lazy as _

from pwscup.env import (
    BASE_DIR,  # noqa: F401 — read as a setting
    HOME,
    RESOURCES,
    broker_url,
    cache,
    database,
    env,
    secret_key,
    web_processes,
    web_threads,
)
from pwscup.env import (
    DATA_DIR as DATA_DIR,
)

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "crispy_forms",
    "crispy_bootstrap5",
    "pwscup.core",
    "pwscup.accounts",
    "pwscup.contests",
    "pwscup.submissions",
    "pwscup.disclosure",
    "pwscup.experiments",
    "pwscup.audits",
    "pwscup.notices",
    "pwscup.rescores",
    "pwscup.bots",
    "pwscup.trials",
    "pwscup.reports",
    "pwscup.archives",
    "pwscup.leaderboards",
    "pwscup.debriefings",
    "pwscup.participants",
    "pwscup.demo",
    "pwscup.api",
]

MIDDLEWARE = [
    "pwscup.core.http.health.HealthMiddleware",  # requested by monitoring, with any host name
    "pwscup.submissions.middleware.ArrivalMiddleware",  # before all others: it records the time of arrival
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "pwscup.core.middleware.CompressionMiddleware",
    "pwscup.core.middleware.PrivateMiddleware",
    "pwscup.leaderboards.polls.BoardPollMiddleware",  # before sessions: most polls need no session
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "pwscup.core.middleware.UnavailableMiddleware",
    "pwscup.api.middleware.ApiMiddleware",  # last: it sees the errors of all pages
]

ROOT_URLCONF = "pwscup.urls"
WSGI_APPLICATION = "pwscup.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "pwscup.core.context.site",
            ],
        },
    }
]

DATABASES = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {"default": cache()}
SESSION_ENGINE = "pwscup.core.http.sessions"

# Accounts: the email address is the user name, verified before the first log-in.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_ADAPTER = "pwscup.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "pwscup.accounts.forms.SignupForm",
    "set_password": "pwscup.accounts.forms.SetPasswordForm",
}
ACCOUNT_CHANGE_EMAIL = True  # one address per user; a new one replaces it when it is confirmed
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # only in the browser in which the user signed up
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[PWSCup] "
# A class behind one router has one address; failed log-ins are counted per account and address.
PEOPLE_PER_ADDRESS = env.int("PWSCUP_PEOPLE_PER_ADDRESS", default=60)
# Anybody can trigger emails to any address: by signing up, or by requesting a new password.
MAILS_PER_ADDRESS = env.int("PWSCUP_MAILS_PER_ADDRESS", default=10)
ACCOUNT_RATE_LIMITS: dict[str, str] | bool = {
    "signup": f"{PEOPLE_PER_ADDRESS}/m/ip",
    "login": f"{2 * PEOPLE_PER_ADDRESS}/m/ip",
    "login_failed": f"{PEOPLE_PER_ADDRESS}/m/ip,5/5m/key",
    "reset_password": f"{PEOPLE_PER_ADDRESS}/m/ip,5/m/key",
    "reset_password_from_key": f"{2 * PEOPLE_PER_ADDRESS}/m/ip",
    "join": f"{2 * PEOPLE_PER_ADDRESS}/m/ip",
    "wrong_code": f"{PEOPLE_PER_ADDRESS}/m/ip",  # class codes that nobody has
    "mail": f"{MAILS_PER_ADDRESS}/h/key",  # silently, see AccountAdapter
}
# The number of trusted proxies in front of the server, for the address that rate limits count by.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("PWSCUP_TRUSTED_PROXIES", default=0)
# The header in which such a proxy passes on the time when a request began to arrive.
ARRIVAL_HEADER = env.str("PWSCUP_ARRIVAL_HEADER", default="")

# Per user: names of teams are freed by leaving, and a former team must not give a second seat.
MAX_TEAMS_PER_PERSON = env.int("PWSCUP_MAX_TEAMS_PER_PERSON", default=5)
MAX_TEAMS_PER_DAY = env.int("PWSCUP_MAX_TEAMS_PER_DAY", default=20)

# Languages: English and Japanese; times are stored in UTC and shown in the contest's zone.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ja", _("Japanese"))]
LOCALE_PATHS = [RESOURCES / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Files: static files hashed and compressed; uploads are stored outside the web root.
STATIC_URL = "/static/"
STATIC_ROOT = HOME / "staticfiles"
STATICFILES_DIRS = [RESOURCES / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
PRIVATE_ROOT = DATA_DIR / "files"
# Rejected and cancelled submissions use no attempt; without a bound they could fill the disk.
MAX_WASTED_UPLOADS_PER_DAY = env.int("PWSCUP_MAX_WASTED_UPLOADS_PER_DAY", default=200)
MAX_WASTED_BYTES_PER_DAY = env.int("PWSCUP_MAX_WASTED_BYTES_PER_DAY", default=500 * 1024 * 1024)
# Each of these occupied a worker for the whole time limit, three times.
MAX_SLOW_UPLOADS_PER_DAY = env.int("PWSCUP_MAX_SLOW_UPLOADS_PER_DAY", default=5)
KEEP_REFUSED_HOURS = env.int("PWSCUP_KEEP_REFUSED_HOURS", default=7 * 24)
MAX_UPLOAD_BYTES = env.int("PWSCUP_MAX_UPLOAD_BYTES", default=30 * 1024 * 1024)
# Reserved for the uploads of teams: imports and archives stop there, and organizers are warned at twice as much.
DISK_RESERVE_BYTES = env.int("PWSCUP_DISK_RESERVE_BYTES", default=1024 * 1024 * 1024)
MAX_TABLE_COLUMNS = env.int("PWSCUP_MAX_TABLE_COLUMNS", default=200)
MAX_ARCHIVE_BYTES = env.int("PWSCUP_MAX_ARCHIVE_BYTES", default=2 * 1024 * 1024 * 1024)
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 200
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # the roles of a table's columns: six fields each
# Per access token, for all requests.
API_REQUESTS_PER_MINUTE = env.int("PWSCUP_API_REQUESTS_PER_MINUTE", default=120)

# Email: without a server, messages are stored in the data folder and shown to the user at this machine.
EMAIL_URL = env.str("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(env.service("EMAIL_URL", default=""))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = DATA_DIR / "mail"
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="PWSCup <noreply@localhost>")
EMAIL_TIMEOUT = 10  # a silent mail server must not block for long
# The beginning of links in emails and webhooks; set by `manage.py up`.
SITE_URL = env.str("PWSCUP_SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
# Allow webhooks to call hosts that are not on the internet, including this one.
WEBHOOKS_TO_PRIVATE = env.bool("PWSCUP_WEBHOOKS_TO_PRIVATE", default=False)

# Scoring: a worker holds a submission by a lease that it must renew.
SCORING_LEASE_SECONDS = env.int("SCORING_LEASE_SECONDS", default=30)
SCORING_HEARTBEAT_SECONDS = env.float("SCORING_HEARTBEAT_SECONDS", default=5)
SCORING_TIME_LIMIT = env.float("SCORING_TIME_LIMIT", default=300)
# Audits take much longer than scoring: some workers must stay free for submissions.
AUDIT_TIME_LIMIT = env.float("AUDIT_TIME_LIMIT", default=1800)
RESCORE_TIME_LIMIT = env.float("RESCORE_TIME_LIMIT", default=3600)
ARCHIVE_TIME_LIMIT = env.float("ARCHIVE_TIME_LIMIT", default=3600)
AUDITS_AT_ONCE = env.int("AUDITS_AT_ONCE", default=1)
EXPERIMENT_TIME_LIMIT = env.float("EXPERIMENT_TIME_LIMIT", default=1800)
EXPERIMENTS_AT_ONCE = env.int("EXPERIMENTS_AT_ONCE", default=1)
TRIAL_TIME_LIMIT = env.float("TRIAL_TIME_LIMIT", default=60)
TRIALS_PER_MINUTE = env.int("TRIALS_PER_MINUTE", default=10)  # of a team
DELIVERY_TIME_LIMIT = 120
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=5)
# A shorter grace period would send a whole backlog again repeatedly.
RESEND_SECONDS = env.float("RESEND_SECONDS", default=60)
# The maximum duration of an upload that arrived just before the deadline.
UPLOAD_GRACE_SECONDS = env.float("UPLOAD_GRACE_SECONDS", default=60)
WORKER_MEMORY_LIMIT_MB = env.int("WORKER_MEMORY_LIMIT_MB", default=0)

# Read in every process, so that each reports malformed settings at its start.
WEB_PROCESSES, WEB_THREADS = web_processes(), web_threads()
WORKER_CONCURRENCY = env.int("WORKER_CONCURRENCY", default=2)

# Celery: a message is a hint that a row waits. Losing or duplicating one is harmless, so exactness is not
# needed; workers must survive an unavailable broker.
CELERY_BROKER_URL = broker_url()
CELERY_ACCEPT_CONTENT = ["json"]  # never pickle, which executes code
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = (
    False  # a task that kills its process would be restarted for ever
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_DB_REUSE_MAX = 1_000_000_000  # `pwscup.celery` closes connections to the database
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 6 * 3600,  # lost work is recovered by the lease, not by the broker
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "queue_order_strategy": "priority",
    "socket_timeout": 5,
    "socket_connect_timeout": 5,
}
# Housekeeping comes first: a long queue must not delay the recovery of lost jobs. Trials come after submissions, and
# notices last: results must not wait for them. Audits have a separate worker.
CELERY_TASK_QUEUES: dict[str, dict] = {
    "housekeeping": {},
    "scoring": {},
    "trials": {},
    "audits": {},
    "notices": {},
}
CELERY_TASK_DEFAULT_QUEUE = "scoring"
# A job goes to the queue of its kind, see `pwscup.core.jobs`.
CELERY_TASK_ROUTES = {
    "pwscup.core.tasks.seal": {"queue": "housekeeping"},
    "pwscup.*.tasks.sweep": {"queue": "housekeeping"},
    "pwscup.submissions.tasks.drop_refused": {"queue": "housekeeping"},
    "pwscup.notices.tasks.work": {"queue": "notices"},
    "pwscup.contests.tasks.mail_invitations": {"queue": "notices"},
    "pwscup.bots.tasks.advance": {"queue": "trials"},  # after the submissions of teams
}
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # no state between two starts


def _every(seconds: float, task: str) -> dict:
    """A schedule for a task; a message that was not handled until the next one is dropped."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds, "retry": False}}


SWEEPING = (
    "archives",
    "contests",
    "debriefings",
    "disclosure",
    "experiments",
    "notices",
    "submissions",
)
# Rounds close, targets and results are published here: users watch a countdown.
PROMPT_SECONDS = min(SWEEP_SECONDS, 2)
DROP_SECONDS = 600
CELERY_BEAT_SCHEDULE = {
    "seal": _every(SWEEP_SECONDS, "pwscup.core.tasks.seal"),
    **{f"sweep-{app}": _every(SWEEP_SECONDS, f"pwscup.{app}.tasks.sweep") for app in SWEEPING},
    "drop-refused": _every(DROP_SECONDS, "pwscup.submissions.tasks.drop_refused"),
    "sweep-jobs": _every(PROMPT_SECONDS, "pwscup.core.tasks.sweep"),
    "baseline-teams": _every(SWEEP_SECONDS, "pwscup.bots.tasks.advance"),
    "sweep-submissions": _every(PROMPT_SECONDS, "pwscup.submissions.tasks.sweep"),
}

# The demo contests and their log-ins; off unless `make run` or the environment enables them.
DEMO = env.bool("PWSCUP_DEMO", default=False)
DEMO_SECONDS = 5
if DEMO:
    CELERY_BEAT_SCHEDULE["demo"] = _every(DEMO_SECONDS, "demo.advance")

# Programs that rulesets may name as scorers, as a TOML file; see docs/how-to/own-measures.md.
PROGRAMS_FILE = env.str("PWSCUP_PROGRAMS_FILE", default="")

# Where links to the documentation lead: /help/ on this platform, or a site elsewhere.
DOCS_URL = env.str("PWSCUP_DOCS_URL", default="").rstrip("/")

# Security headers. Inline styles are allowed for charts; inline scripts never.
HTTPS = env.bool("PWSCUP_HTTPS", default=False)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.int("PWSCUP_HSTS_SECONDS", default=0)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF, UNSAFE_INLINE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
CRISPY_ALLOWED_TEMPLATE_PACKS = CRISPY_TEMPLATE_PACK = "bootstrap5"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "pwscup.core.installation.logs.OneLine",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        }
    },
    "filters": {"clients": {"()": "pwscup.core.installation.logs.ErrorsOfClients"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["clients"],
        }
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        # Two lines for every sweep, one every few seconds, are useless; scoring has its own log lines.
        **{
            name: {"level": "WARNING"}
            for name in ("celery.app.trace", "celery.worker.strategy", "celery.beat")
        },
        "waitress.queue": {"level": "ERROR"},  # otherwise a line for each queued request
    },
}
