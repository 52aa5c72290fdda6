"""List the open models that are offered: a few that are worth it on ordinary machines, none of which is packaged."""

from dataclasses import dataclass

_HUB = "https://huggingface.co/{}/resolve/main/{}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A model that can be fetched."""

    name: str  # as it will stand in LLM_MODEL; its size in it decides how it is led
    title: str
    repository: str  # on the hub
    file: str
    size: int  # bytes, about
    parameters: float
    licence: str
    sha256: str = ""  # where it is known; else the one that the hub states is used and written down
    memory_per_token: int  # bytes of the cache, about

    @property
    def address(self) -> str:
        """Return where the file is fetched from."""
        return _HUB.format(self.repository, self.file)

    def memory(self, context: int) -> int:
        """Return about how many bytes serving it takes; as core.llm.local_model.gguf reckons for a file."""
        return self.size + self.memory_per_token * context + self.size // 10 + 300_000_000


OFFERS = (
    Offer(
        name="qwen2.5-coder-1.5b-instruct-q4_k_m",
        title="Qwen2.5 Coder 1.5B Instruct",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        parameters=1.78e9,
        licence="Apache-2.0",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        memory_per_token=28_672,
    ),
    Offer(
        name="qwen3-4b-instruct-2507-q4_k_m",
        title="Qwen3 4B Instruct 2507",
        repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        size=2_500_000_000,
        parameters=4.02e9,
        licence="Apache-2.0",
        memory_per_token=147_456,
    ),
)


def find_offer(name: str) -> Offer | None:
    """Return the offer of that name, or None."""
    return next((offer for offer in OFFERS if offer.name == name), None)
