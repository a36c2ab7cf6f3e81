"""Calls that are refused."""

from __future__ import annotations

from dryline.tools.examples.walk import Walk


def show(walk: Walk) -> None:
    """Do what is refused."""
    workers = "/api/workers"
    walk.refused("BadRequest", "POST", workers, json={"description": 7})
    walk.refused("Unauthorized", "GET", workers, headers={"x-api-key": "not-a-key"})
    walk.refused("NotFound", "GET", f"{workers}/worker_0")
    walk.refused("Error", "PUT", workers, json={})
    walk.refused("UnsupportedMediaType", "POST", workers, data=b"name=Front+desk", content_type="text/plain")
    walk.refused("ContentTooLarge", "POST", workers, data=b" " * 10_000_001, content_type="application/json")
    walk.refused("UnprocessableContent", "PUT", "/_dryline/state", json={"version": 1, "workers": [{"id": "worker_1"}]})
    tag = {"label": "VIP", "color": "#ff0000"}
    walk.send("POST", "/api/team/tags", json=tag)
    walk.refused("Conflict", "POST", "/api/team/tags", json=tag)
