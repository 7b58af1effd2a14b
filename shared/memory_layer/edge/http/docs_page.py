"""Page /docs: Swagger UI over openapi.json, all of it from this service, and no script or style inside the page."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, get_args

DocsFile = Literal["start.js", "swagger-ui.css", "swagger-ui.js"]
NAMES: Final[tuple[DocsFile, ...]] = get_args(DocsFile)

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content policy of the page: scripts are files of the service; Swagger UI sets styles of elements as it draws."""

KEPT: Final = "public, max-age=86400"

PAGE: Final = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Memory Layer API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <script defer src="docs/swagger-ui.js"></script>
    <script defer src="docs/start.js"></script>
  </head>
  <body><div id="swagger-ui"></div></body>
</html>
"""

_START: Final = """SwaggerUIBundle({
  dom_id: "#swagger-ui",
  url: "openapi.json",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  showExtensions: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl],
});
"""
_LIBRARY: Final = "aws_lambda_powertools.event_handler.openapi"
_FILES: Final[dict[DocsFile, str]] = {
    "swagger-ui.css": "swagger-ui.min.css",
    "swagger-ui.js": "swagger-ui-bundle.min.js",
}


@dataclass(frozen=True, slots=True)
class DocsAsset:
    """File that the page loads. Args: text: its content; content_type: as HTTP names it."""

    text: str
    content_type: str


@cache
def docs_asset(name: DocsFile) -> DocsAsset:
    """File of the page, by its name."""
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    text = _START if name == "start.js" else _library_text(_FILES[name])
    return DocsAsset(text, f"{kind}; charset=utf-8")


def _library_text(name: str) -> str:
    return files(_LIBRARY).joinpath("swagger_ui", name).read_text("utf-8")
