"""Published sizes of models, from which zoo.py draws layers: one row each, with the source of its numbers.

Where a source is a file `config.json`, it is the model's configuration as its authors publish it. TINY has rows of the same
form for tests on a CPU.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Transformer:
    """`ffn` is the width of the feed-forward layer, `tokens` a length that is usual for the model."""
    name: str
    source: str
    width: int
    ffn: int
    heads: int
    head: int
    kv_heads: int
    vocabulary: int
    tokens: int
    # relu, gelu; swiglu, geglu: two linear layers, one of them gated
    activation: str
    # layer, rms
    norm: str
    bias: bool


@dataclass(frozen=True)
class Convolutional:
    """`stages` are (channels, height = width); `classes` the width of the last linear layer, 0 for none."""
    name: str
    source: str
    stages: tuple
    classes: int
    # Ratio of the 1 x 1 convolutions' widths.
    expansion: int
    batches: tuple


@dataclass(frozen=True)
class Diffusion:
    """`levels` are (channels, height = width) of a U-Net whose transformers attend to a text of `context` features."""
    name: str
    source: str
    levels: tuple
    context: int
    text_tokens: int


@dataclass(frozen=True)
class Recommender:
    """`tables` are numbers of rows, `embedding` their width, `layers` the widths of a tower of linear layers."""
    name: str
    source: str
    tables: tuple
    embedding: int
    layers: tuple
    features: int


T = Transformer
TRANSFORMERS = (
    T("T5-small", "google-t5/t5-small config.json", 512, 2048, 8, 64, 8, 32128, 512, "relu", "rms", False),
    T("T5-base", "google-t5/t5-base config.json", 768, 3072, 12, 64, 12, 32128, 512, "relu", "rms", False),
    T("DistilBERT", "distilbert-base-uncased config.json", 768, 3072, 12, 64, 12, 30522, 512, "gelu", "layer", True),
    T("BERT-base", "bert-base-uncased config.json", 768, 3072, 12, 64, 12, 30522, 512, "gelu", "layer", True),
    T("BERT-large", "bert-large-uncased config.json", 1024, 4096, 16, 64, 16, 30522, 384, "gelu", "layer", True),
    T("GPT-2", "openai-community/gpt2 config.json", 768, 3072, 12, 64, 12, 50257, 1024, "gelu", "layer", True),
    T("GPT-2 medium", "openai-community/gpt2-medium config.json", 1024, 4096, 16, 64, 16, 50257, 1024, "gelu", "layer", True),
    T("GPT-2 large", "openai-community/gpt2-large config.json", 1280, 5120, 20, 64, 20, 50257, 1024, "gelu", "layer", True),
    T("GPT-2 XL", "openai-community/gpt2-xl config.json", 1600, 6400, 25, 64, 25, 50257, 1024, "gelu", "layer", True),
    T("TinyLlama 1.1B", "TinyLlama/TinyLlama-1.1B config.json", 2048, 5632, 32, 64, 4, 32000, 2048, "swiglu", "rms", False),
    T("LLaMA 3.2 1B", "meta-llama/Llama-3.2-1B config.json", 2048, 8192, 32, 64, 8, 128256, 2048, "swiglu", "rms", False),
    T("LLaMA 7B", "arXiv 2302.13971, table 2", 4096, 11008, 32, 128, 32, 32000, 2048, "swiglu", "rms", False),
    T("LLaMA 13B", "arXiv 2302.13971, table 2", 5120, 13824, 40, 128, 40, 32000, 2048, "swiglu", "rms", False),
    T("LLaMA 2 70B", "meta-llama/Llama-2-70b config.json", 8192, 28672, 64, 128, 8, 32000, 4096, "swiglu", "rms", False),
    T("LLaMA 3 8B", "meta-llama/Meta-Llama-3-8B config.json", 4096, 14336, 32, 128, 8, 128256, 4096, "swiglu", "rms", False),
    T("Mistral 7B", "mistralai/Mistral-7B-v0.1 config.json", 4096, 14336, 32, 128, 8, 32000, 4096, "swiglu", "rms", False),
    T("Gemma 2B", "google/gemma-2b config.json", 2048, 16384, 8, 256, 1, 256000, 2048, "geglu", "rms", False),
    T("Gemma 7B", "google/gemma-7b config.json", 3072, 24576, 16, 256, 16, 256000, 2048, "geglu", "rms", False),
    T("Phi-2", "microsoft/phi-2 config.json", 2560, 10240, 32, 80, 32, 51200, 2048, "gelu", "layer", True),
    T("Phi-3 mini", "microsoft/Phi-3-mini-4k-instruct config.json", 3072, 8192, 32, 96, 32, 32064, 2048, "swiglu", "rms", False),
    T("ViT-S/16", "arXiv 2106.10270, table 2", 384, 1536, 6, 64, 6, 1000, 197, "gelu", "layer", True),
    T("ViT-B/16", "arXiv 2010.11929, table 1", 768, 3072, 12, 64, 12, 1000, 197, "gelu", "layer", True),
    T("ViT-L/16", "arXiv 2010.11929, table 1", 1024, 4096, 16, 64, 16, 1000, 197, "gelu", "layer", True),
    T("Whisper tiny", "openai/whisper-tiny config.json", 384, 1536, 6, 64, 6, 51865, 1500, "gelu", "layer", True),
    T("Whisper base", "openai/whisper-base config.json", 512, 2048, 8, 64, 8, 51865, 1500, "gelu", "layer", True),
    T("Whisper small", "openai/whisper-small config.json", 768, 3072, 12, 64, 12, 51865, 1500, "gelu", "layer", True),
    T("Whisper large", "openai/whisper-large-v2 config.json", 1280, 5120, 20, 64, 20, 51865, 1500, "gelu", "layer", True),
    # 10 s of sound at 16 kHz are 499 frames.
    T("wav2vec2 base", "facebook/wav2vec2-base config.json", 768, 3072, 12, 64, 12, 32, 499, "gelu", "layer", True),
    T("wav2vec2 large", "facebook/wav2vec2-large config.json", 1024, 4096, 16, 64, 16, 32, 499, "gelu", "layer", True),
)

C = Convolutional
CONVOLUTIONAL = (
    C("ResNet-50", "arXiv 1512.03385, table 1", ((64, 56), (256, 56), (128, 28), (512, 28), (256, 14), (1024, 14), (512, 7), (2048, 7)),
      1000, 4, (1, 8, 32, 64)),
    C("ConvNeXt-T", "arXiv 2201.03545, section 3", ((96, 56), (192, 28), (384, 14), (768, 7)), 1000, 4, (1, 8, 32, 64)),
    C("ConvNeXt-B", "arXiv 2201.03545, section 3", ((128, 56), (256, 28), (512, 14), (1024, 7)), 1000, 4, (1, 8, 32)),
    C("EfficientNet-B0", "arXiv 1905.11946, table 1, expanded by 6",
      ((32, 112), (96, 56), (144, 56), (240, 28), (480, 14), (672, 14), (1152, 7), (1280, 7)), 1000, 1, (1, 8, 32, 64)),
    # 512 channels over time: 10 s are 15999 frames after one convolution, 1999 after four. Squares of about as many.
    C("wav2vec2 features", "arXiv 2006.11477, section 4.2", ((512, 126), (512, 44)), 0, 1, (1, 4)),
)

DIFFUSION = (
    Diffusion("Stable Diffusion 1.5", "runwayml/stable-diffusion-v1-5 unet/config.json",
              ((320, 64), (640, 32), (1280, 16), (1280, 8)), 768, 77),
    Diffusion("SDXL", "stabilityai/stable-diffusion-xl-base-1.0 unet/config.json",
              ((320, 128), (640, 64), (1280, 32)), 2048, 77),
)

RECOMMENDERS = (
    Recommender("DLRM", "MLPerf training, recommendation, Criteo 1TB; tables cut at 1 M rows",
                (1000000, 39060, 17295, 7424, 20265, 7122, 1543, 63, 130229, 105, 27, 12022, 14), 128,
                (512, 256, 128, 1024, 1024, 512, 256, 1), 13),
    Recommender("NCF on MovieLens 20M", "MLPerf training 0.5, recommendation", (138493, 26744), 64, (256, 256, 128, 64), 128),
)


@dataclass(frozen=True)
class Table:
    transformers: tuple = TRANSFORMERS
    convolutional: tuple = CONVOLUTIONAL
    diffusion: tuple = DIFFUSION
    recommenders: tuple = RECOMMENDERS


TABLE = Table()
TINY = Table(
    (T("tiny", "made up", 24, 40, 3, 8, 3, 57, 13, "gelu", "layer", True),
     T("tiny gated", "made up", 32, 48, 2, 16, 1, 64, 7, "swiglu", "rms", False),
     T("tiny odd", "made up", 15, 31, 3, 5, 3, 33, 9, "geglu", "rms", False)),
    (C("tiny", "made up", ((8, 7), (12, 5)), 10, 2, (1, 3)),),
    (Diffusion("tiny", "made up", ((32, 4), (64, 3)), 12, 7),),
    (Recommender("tiny", "made up", (50, 19), 16, (12, 9, 1), 5),))
