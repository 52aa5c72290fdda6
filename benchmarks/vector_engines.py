"""Recall, latency and memory of vector engines in their embedded editions, under filters of access classes.

    python3 -m venv /tmp/engines && /tmp/engines/bin/pip install numpy psutil qdrant-edge-py pymilvus milvus-lite
    /tmp/engines/bin/python benchmarks/vector_engines.py qdrant 50000
    /tmp/engines/bin/python benchmarks/vector_engines.py milvus 50000

Chunks of 384 dimensions around 500 topics, in 1,000 classes of which each belongs to one topic: whole topics are
permitted or not, which is the hard case for a walk through a graph. 400 neighbours are asked for, as a search does.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence

import numpy as np
import psutil

DIMENSION, TOPICS, QUESTIONS, WANTED, BATCH = 384, 500, 20, 400, 1000
SPREAD = 0.04
SHARES = (0.01, 0.1, 0.5, 1.0)

Find = Callable[[np.ndarray, list[int], int], list[int]]  # vector, classes, how far to walk


def near(topics: np.ndarray, chosen: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Vectors of length 1 around some topics."""
    vectors = topics[chosen] + SPREAD * random.normal(size=(len(chosen), DIMENSION))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def in_qdrant(vectors: np.ndarray, classes: np.ndarray, folder: str) -> Find:
    """Qdrant Edge: the engine of the server, in this process."""
    import qdrant_edge as edge

    graph = edge.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000)
    params = edge.EdgeVectorParams(size=DIMENSION, distance=edge.Distance.Cosine)
    shard = edge.EdgeShard.create(f"{folder}/shard", edge.EdgeConfig(vectors=params, hnsw_config=graph))
    shard.update(edge.UpdateOperation.create_field_index("class", edge.PayloadSchemaType.Integer))
    for start in range(0, len(vectors), BATCH):
        rows = range(start, min(len(vectors), start + BATCH))
        points = [edge.Point(row, vectors[row].tolist(), {"class": int(classes[row])}) for row in rows]
        shard.update(edge.UpdateOperation.upsert_points(points))
    shard.optimize()

    def find(vector: np.ndarray, permitted: list[int], walk: int) -> list[int]:
        among = edge.Filter(must=[edge.FieldCondition(key="class", match=edge.MatchAny(any=permitted))])
        how = edge.SearchParams(hnsw_ef=walk, acorn=edge.AcornSearchParams(enable=True))
        query = edge.Query.Nearest(vector.tolist())
        request = edge.SearchRequest(query=query, limit=WANTED, filter=among, params=how)
        return [point.id for point in shard.search(request)]

    return find


def in_milvus(vectors: np.ndarray, classes: np.ndarray, folder: str) -> Find:
    """Milvus Lite: another program than the server, with its protocol."""
    from pymilvus import DataType, MilvusClient

    client = MilvusClient(f"{folder}/milvus.db")
    schema = client.create_schema(auto_id=False)
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=DIMENSION)
    schema.add_field("class", DataType.INT64)
    client.create_collection("chunks", schema=schema)
    for start in range(0, len(vectors), BATCH):
        rows = range(start, min(len(vectors), start + BATCH))
        client.insert("chunks", [{"id": row, "vector": vectors[row], "class": int(classes[row])} for row in rows])
    client.flush("chunks")
    index = client.prepare_index_params()
    index.add_index("vector", index_type="HNSW", metric_type="COSINE", params={"M": 16, "efConstruction": 100})
    client.create_index("chunks", index)
    client.load_collection("chunks")

    def find(vector: np.ndarray, permitted: list[int], walk: int) -> list[int]:
        params = {"params": {"ef": walk}}
        found = client.search("chunks", [vector], f"class in {permitted}", limit=WANTED, search_params=params)
        return [point["id"] for point in found[0]]

    return find


def measure(find: Find, vectors: np.ndarray, classes: np.ndarray, questions: np.ndarray) -> None:
    """Print the recall and the latency for each share of the classes, and how far the graph was walked."""
    random = np.random.default_rng(2)
    for share in SHARES:
        permitted = random.permutation(2 * TOPICS)[: round(2 * TOPICS * share)].tolist()
        rows = np.flatnonzero(np.isin(classes, permitted))
        for walk in (WANTED, 2 * WANTED, 4 * WANTED):
            recalls, times = ask_all(find, vectors, rows, questions, permitted, walk)
            print(
                f"{share:5.0%} walk {walk:5}: recall {np.mean(recalls):.3f} (least {min(recalls):.3f}), "
                f"p50 {np.median(times):.1f} ms, p95 {np.percentile(times, 95):.1f} ms"
            )


def ask_all(
    find: Find, vectors: np.ndarray, rows: np.ndarray, questions: np.ndarray, permitted: list[int], walk: int
) -> tuple[Sequence[float], Sequence[float]]:
    """The recall and the milliseconds of each question. What is not permitted must not be among what is found."""
    recalls, times = [], []
    for question in questions:
        most = min(WANTED, len(rows))
        true = set(rows[np.argsort(-(vectors[rows] @ question))[:most]].tolist())
        started = time.perf_counter()
        found = set(find(question, permitted, walk))
        times.append((time.perf_counter() - started) * 1000)
        assert found <= set(rows.tolist())
        recalls.append(len(true & found) / most)
    return recalls, times


def main() -> None:
    """Load an engine and measure it."""
    engine, count = sys.argv[1], int(sys.argv[2])
    random = np.random.default_rng(1)
    topics = near(np.zeros((1, DIMENSION)), np.zeros(TOPICS, dtype=int), random)
    of = random.integers(0, TOPICS, count)
    vectors, classes = near(topics, of, random), of * 2 + random.integers(0, 2, count)
    questions = near(topics, random.integers(0, TOPICS, QUESTIONS), random)
    before, started = psutil.Process().memory_info().rss, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        find = {"qdrant": in_qdrant, "milvus": in_milvus}[engine](vectors, classes, folder)
        used = (psutil.Process().memory_info().rss - before) / 1e6
        print(f"{engine}, {count:,} chunks: loaded in {time.perf_counter() - started:.1f} s, {used:.0f} MB")
        measure(find, vectors, classes, questions)


if __name__ == "__main__":
    main()
