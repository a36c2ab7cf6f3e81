"""Queries over a worker's resources: BM25 over their names, links and texts. Contract: queryResources.

The real service puts a retrieval model behind this; here the answer is made of the passages that match best.
"""

import re
from typing import Any, NamedTuple

from dryline.models.folders import Folder
from dryline.models.plain_sql import search_passages
from dryline.models.resources import Resource
from dryline.models.workers import Worker
from dryline.storage.errors import NotFound

TOP_K = 10  # hits when the query does not say how many. Assumed.
_TERMS_LIMIT = 64
# Words that say nothing about what is asked; they count only where a query has no others.
_STOP_WORDS = """
a about an and are as at be by can do does for from has have how i in is it my of on or our the their there they this to
was we what when where which who why will with you your
"""


class Hit(NamedTuple):
    """A resource that matches. A higher `score` is a better match.

    `passage` is what its text says; empty where no text is known, of a link and of a file that is no text.
    """

    id: str
    name: str
    rag_type: str
    link: str | None
    score: float
    passage: str

    @property
    def text(self) -> str:
        """The name with the passage or link."""
        content = self.passage or self.link
        return f"{self.name}: {content}" if content else self.name


def answer_query(
    worker: Worker,
    *,
    query: str,
    resources: list[str] | None = None,
    folder_id: str | None = None,
    folder_name: str | None = None,
    query_params: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Search the worker's resources. Raises NotFound for an unknown folder or resource."""
    params = query_params or {}
    where = _columns_of_scope(worker, resources or [], folder_id, folder_name)
    hits = _search_passages(worker, query, where, int(min(params.get("top_k", TOP_K), 1000)))
    data: dict[str, Any] = {
        "answer": "\n\n".join(hit.text for hit in hits[:3]) or "No resource matches the query.",
        "context": [hit.id for hit in hits],
        "results": [
            {"resourceId": hit.id, "name": hit.name, "ragType": hit.rag_type, "score": hit.score, "text": hit.passage}
            for hit in hits
        ],
    }
    if params.get("only_need_prompt"):
        passages = "\n".join(f"[{number}] {hit.text}" for number, hit in enumerate(hits, 1))
        prompt = f"Answer the question from these passages only.\n\n{passages}\n\nQuestion: {query}"
        data |= {"answer": None, "prompt": prompt}
    elif params.get("only_need_context"):
        data["answer"] = None
    return data


def _search_passages(worker: Worker, query: str, where: dict[str, list[str]], top_k: int) -> list[Hit]:
    """Return the best `top_k` resources for the query that are AVAILABLE, best first, equal ones by id.

    `where` maps columns of the resource to the values that they may have.
    """
    terms = _full_text_query(query)
    if not terms:
        return []
    return [Hit(*cells) for cells in search_passages(terms, worker.id, where, top_k)]


def _columns_of_scope(
    worker: Worker, ids: list[str], folder_id: str | None, folder_name: str | None
) -> dict[str, list[str]]:
    where: dict[str, list[str]] = {}
    for id in dict.fromkeys(ids):
        worker.child(Resource, id, field="resources")
        where.setdefault("id", []).append(id)
    folders = []
    if folder_id is not None:
        folders.append(worker.child(Folder, folder_id, field="folder_id").id)
    if folder_name is not None:
        folder = Folder.find(worker_id=worker.id, name=folder_name)
        if folder is None:
            raise NotFound(f"Folder {folder_name!r} not found.", "folder_name")
        folders.append(folder.id)
    if folders:
        where["folder_id"] = folders if len(set(folders)) == 1 else []
    return where


def _full_text_query(query: str) -> str:
    """Return the query for FTS5: its words, any of which may match, each quoted so that none is an operator."""
    words = list(dict.fromkeys(re.findall(r"\w+", query.lower())))
    keywords = [word for word in words if word not in _STOP_WORDS.split()] or words
    return " OR ".join(f'"{word}"' for word in keywords[:_TERMS_LIMIT])
