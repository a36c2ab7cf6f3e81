"""Training of the encoder: truncated SVD, then contrastive learning of what is said and the condition that it meets."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from dryline.flow.model.encoder import DIMENSIONS, TEMPERATURE
from dryline.tools.understanding.corpus import Topic

STEPS, BATCH, RATE = 300, 384, 0.01
DROPPED_SAID, DROPPED_MEANT = 0.35, 0.1
GROUPS, IN_A_GROUP = 8, 4  # of the utterances of an intent: the most, and how many there are for each
SEEDS = (0, 1, 2)
MOST_FEATURES = 26_300  # which fit into a data file of 2.5 MB; those with the shortest rows say least and are left out


class Table:
    """Texts as rows of a sparse matrix, with the topic of each."""

    def __init__(self, texts: Sequence[Sequence[str]], topics: Sequence[int], index: dict[str, int]) -> None:
        rows = [[index[name] for name in text if name in index] for text in texts]
        self.matrix = sparse.csr_matrix(
            (np.ones(sum(map(len, rows)), np.float32), np.concatenate([np.array(row, np.int32) for row in rows]),
             np.cumsum([0, *map(len, rows)])), (len(rows), len(index)),
        )  # fmt: skip
        self.of_topic = np.split(np.arange(len(topics)), np.flatnonzero(np.diff(topics)) + 1)

    def sample(self, topics: np.ndarray, random: np.random.Generator, dropped: float) -> sparse.csr_matrix:
        """Return a text of each topic, some of its features dropped."""
        rows = self.matrix[[random.choice(self.of_topic[topic]) for topic in topics]]
        rows.data = (random.random(len(rows.data)) >= dropped).astype(np.float32)
        return rows


def feature_names(topics: Sequence[Topic]) -> list[str]:
    """Return the features to train: all stems, and the pairs that are seen more than once."""
    counts = Counter(name for topic in topics for text in (*topic.said, *topic.meant) for name in text)
    return sorted(name for name, count in counts.items() if count > 1 or " " not in name)


def start(topics: Sequence[Topic], intents: int, index: dict[str, int]) -> np.ndarray:
    """Return the first rows: the right singular vectors of the table of topics and features."""
    counts = [Counter(n for text in (*topic.said, *topic.meant) for n in text if n in index) for topic in topics]
    spread = Counter(name for count in counts[:intents] for name in count)
    weight = np.array([np.log(1 + intents / max(1, spread[n])) * (0.5 if " " in n else 1) for n in index], np.float32)
    table = sparse.lil_matrix((len(topics), len(index)), dtype=np.float32)
    for row, count in enumerate(counts):
        for name, times in count.items():
            table[row, index[name]] = np.log1p(times) * weight[index[name]]
    matrix = table.tocsr()
    matrix = sparse.diags(1 / np.sqrt(matrix.multiply(matrix).sum(1)).A1) @ matrix
    right = svds(matrix, DIMENSIONS, random_state=0)[2].T
    rows = right * weight[:, None]
    return (rows / np.sqrt((rows**2).sum(1).mean())).astype(np.float32)


def train(intents: Sequence[Topic], words: Sequence[Topic]) -> tuple[list[str], np.ndarray]:
    """Return the features and their trained rows: the means of several trainings, for one alone depends on its seed."""
    topics = [*intents, *words]
    names = feature_names(topics)
    index = {name: position for position, name in enumerate(names)}
    rows = start(topics, len(intents), index)
    said = Table(*_texts([topic.said for topic in topics]), index)
    meant = Table(*_texts([topic.meant for topic in topics]), index)
    is_pair = sparse.diags([float(" " in name) for name in names], dtype=np.float32)
    linked = _linked(topics)

    def pairs(random: np.random.Generator) -> tuple[sparse.csr_matrix, sparse.csr_matrix, np.ndarray]:
        """Return what is said and what it means, a row each, and which of these are no negatives of each other."""
        chosen = random.choice(len(intents), min(BATCH, len(intents)), replace=False)
        chosen = np.concatenate([chosen, len(intents) + random.choice(len(words), len(chosen), replace=False)])
        left = said.sample(chosen, random, DROPPED_SAID)
        right = meant.sample(chosen, random, DROPPED_MEANT)
        no_negatives = (linked[chosen][:, chosen] + right @ is_pair @ right.T).toarray() > 0
        np.fill_diagonal(no_negatives, False)
        return left, right, no_negatives

    rows = np.mean([_descend(rows, pairs, np.random.default_rng(seed)) for seed in SEEDS], axis=0)
    longest = np.sort(np.argsort(-np.linalg.norm(rows, axis=1), kind="stable")[:MOST_FEATURES])
    return [names[position] for position in longest], rows[longest]


def _descend(rows: np.ndarray, pairs: Callable[[np.random.Generator], Any], random: np.random.Generator) -> np.ndarray:
    """Return rows after the steps of Adam."""
    rows = rows.copy()
    mean, square = np.zeros_like(rows), np.zeros_like(rows)
    for step in range(STEPS):
        gradient = _gradient(rows, *pairs(random))
        rate = RATE * min(1.0, 2 - 2 * step / STEPS)
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        unbiased = np.sqrt(square / (1 - 0.999 ** (step + 1))) + 1e-8
        rows -= rate / (1 - 0.9 ** (step + 1)) * mean / unbiased
    return rows


def _texts(texts: Sequence[Sequence[Sequence[str]]]) -> tuple[list[Sequence[str]], list[int]]:
    flat = [(text, position) for position, each in enumerate(texts) for text in each]
    return [text for text, _ in flat], [position for _, position in flat]


def _linked(topics: Sequence[Topic]) -> sparse.csr_matrix:
    """Return which topics are linked by `also`."""
    index = {topic.name: position for position, topic in reversed(list(enumerate(topics)))}
    size = len(topics)
    pairs = []
    for position, topic in enumerate(topics):
        pairs += [(position, index[other]) for other in topic.also if other in index]
    one = sparse.coo_matrix((np.ones(len(pairs)), tuple(zip(*pairs, strict=True))), (size, size))
    return (one + one.T).tocsr()


def _gradient(
    rows: np.ndarray, left: sparse.csr_matrix, right: sparse.csr_matrix, no_negatives: np.ndarray
) -> np.ndarray:
    """Return the gradient of the symmetric InfoNCE of pairs of texts."""
    said, said_length = _unit(left @ rows)
    meant, meant_length = _unit(right @ rows)
    scores = said @ meant.T / TEMPERATURE
    scores[no_negatives] = -np.inf
    by_row = np.exp(scores - scores.max(1, keepdims=True))
    by_column = np.exp(scores - scores.max(0, keepdims=True))
    share = by_row / by_row.sum(1, keepdims=True) + by_column / by_column.sum(0, keepdims=True)
    share = (share - 2 * np.eye(len(share), dtype=np.float32)) / (2 * len(share) * TEMPERATURE)
    of_said, of_meant = share @ meant, share.T @ said
    of_said = (of_said - said * (said * of_said).sum(1, keepdims=True)) / said_length
    of_meant = (of_meant - meant * (meant * of_meant).sum(1, keepdims=True)) / meant_length
    return left.T @ of_said + right.T @ of_meant


def _unit(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    length = np.sqrt((matrix**2).sum(1, keepdims=True)) + 1e-6
    return matrix / length, length


def intent_vectors(intents: Sequence[Topic], names: Sequence[str], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the vectors of each intent: the mean, and one for each group of like utterances.

    The mean is that of what is said and of its conditions, one as much as the other.
    """
    index = {name: position for position, name in enumerate(names)}
    random = np.random.default_rng(0)
    said, meant = ([intent.said for intent in intents], [intent.meant for intent in intents])
    tables = [Table(*_texts(texts), index) for texts in (said, meant)]
    vectors = [_unit(table.matrix @ rows)[0] for table in tables]
    of_intents = {}
    for intent, *positions in zip(intents, *(table.of_topic for table in tables), strict=True):
        utterances, conditions = (each[position] for each, position in zip(vectors, positions, strict=True))
        meaning = _unit(conditions.mean(0, keepdims=True))[0]
        mean = _unit(_unit(utterances.mean(0, keepdims=True))[0] + meaning)[0]
        groups = _centres(utterances, min(GROUPS, len(utterances) // IN_A_GROUP), random)
        of_intents[intent.name] = np.vstack([mean, _unit(groups + meaning / 2)[0]])
    return of_intents


def _centres(vectors: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Return the centres of groups of vectors, by k-means; none for fewer than two groups."""
    if count < 2:
        return vectors[:0]
    centres = vectors[random.choice(len(vectors), count, replace=False)]
    for _ in range(8):
        nearest = (vectors @ centres.T).argmax(1)
        means = []
        for group in range(count):
            members = vectors[nearest == group]
            means.append(members.mean(0) if len(members) else centres[group])
        centres = _unit(np.stack(means))[0]
    return centres
