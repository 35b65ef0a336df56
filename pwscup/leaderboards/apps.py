from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    name = "pwscup.leaderboards"
