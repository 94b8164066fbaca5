"""A service with the awkward features of real ones, for the tests of OpenAPI sources: more than a hundred operations,
described by the framework and, where it has no words, by hand."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import (
    APIRouter,
    Body,
    Cookie,
    Depends,
    FastAPI,
    File,
    Form,
    Header,
    HTTPException,
    Query,
    Request,
    UploadFile,
)
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from fastapi.security import (
    APIKeyHeader,
    APIKeyQuery,
    HTTPAuthorizationCredentials,
    HTTPBasic,
    HTTPBasicCredentials,
    HTTPBearer,
)
from pydantic import BaseModel, Field

TOKEN, KEY, USER, PASSWORD = "token-4711", "key-0815", "anna", "pass:word"


class Item(BaseModel):
    name: str
    price: int = Field(ge=0, description="In cents.")
    note: str | None = None
    tags: list[str] = []


class StoredItem(Item):
    id: int


class Card(BaseModel):
    method: Literal["card"]
    number: str


class Transfer(BaseModel):
    method: Literal["transfer"]
    iban: str


class Order(BaseModel):
    id: int
    payment: Annotated[Card | Transfer, Field(discriminator="method")]
    gift: bool = False


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


COLLECTIONS = tuple(f"{word}s" for word in (
    "book", "chair", "clock", "desk", "door", "fork", "glass", "hammer", "jacket", "key",
    "lamp", "mirror", "nail", "oven", "pen", "rug", "shelf", "table", "vase", "window",
))  # fmt: skip


def _collection(name: str) -> APIRouter:
    """List, create, read, replace and delete, over a store of its own."""
    router = APIRouter(prefix=f"/{name}", tags=[name])
    store: dict[int, StoredItem] = {}

    @router.get("")
    def list_items(
        limit: Annotated[int, Query(ge=1, le=100)] = 20, tag: Annotated[list[str] | None, Query()] = None
    ) -> list[StoredItem]:
        return [item for item in store.values() if not tag or set(tag) <= set(item.tags)][:limit]

    @router.post("", status_code=201)
    def create_item(item: Item) -> StoredItem:
        stored = StoredItem(id=len(store) + 1, **item.model_dump())
        store[stored.id] = stored
        return stored

    @router.get("/{item_id}")
    def read_item(item_id: int) -> StoredItem:
        if item_id not in store:
            raise HTTPException(404, f"There is no item {item_id}.")
        return store[item_id]

    @router.put("/{item_id}")
    def replace_item(item_id: int, item: Item) -> StoredItem:
        store[item_id] = StoredItem(id=item_id, **item.model_dump())
        return store[item_id]

    @router.delete("/{item_id}", status_code=204)
    def delete_item(item_id: int) -> None:
        store.pop(item_id, None)

    return router


def application() -> FastAPI:
    app = FastAPI(
        title="Shop",
        version="2.1",
        servers=[{"url": "/"}, {"url": "https://{region}.shop.example/v2", "variables": {"region": {"default": "eu"}}}],
    )
    for name in COLLECTIONS:
        app.include_router(_collection(name))
    _parameters(app)
    _bodies(app)
    _answers(app)
    _secured(app)
    _paged(app)
    return app


def _record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _parameters(app: FastAPI) -> None:
    def given(name: str, schema: dict[str, Any], **how: Any) -> dict[str, Any]:
        return {"name": name, "in": "query", "schema": schema, **how}

    integer = {"type": "integer"}
    texts = {"type": "array", "items": {"type": "string"}}
    by_hand = [
        given("filter", _record(color={"type": "string"}, max=integer), style="deepObject", explode=True),
        given("ids", {"type": "array", "items": integer}, style="form", explode=False),
        given("words", texts, style="pipeDelimited", explode=False),
        given("spaced", texts, style="spaceDelimited", explode=False),
        given("range", _record(**{"from": integer, "to": integer})),
        {"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
    ]

    @app.get("/echo/styles", operation_id="styles", openapi_extra={"parameters": by_hand})
    def styles(request: Request) -> dict[str, Any]:
        return {"query": request.url.query, "pairs": request.query_params.multi_items()}

    @app.get("/echo/{id}", operation_id="echo")
    def echo(
        request: Request,
        id: str,
        x_trace: Annotated[str | None, Header(alias="X-Trace")] = None,
        visit: Annotated[str | None, Cookie()] = None,
        query_id: Annotated[str | None, Query(alias="id")] = None,
        flag: bool | None = None,
    ) -> dict[str, Any]:
        return {"id": id, "trace": x_trace, "visit": visit, "query_id": query_id, "flag": flag}


def _bodies(app: FastAPI) -> None:
    @app.post("/upload", operation_id="upload")
    async def upload(
        file: UploadFile, title: Annotated[str, Form()], more: Annotated[list[UploadFile] | None, File()] = None,
        labels: Annotated[list[str] | None, Form()] = None,
    ) -> dict[str, Any]:  # fmt: skip
        sizes = [len(await each.read()) for each in more or []]
        return {
            "title": title,
            "bytes": list(await file.read()),
            "filename": file.filename,
            "sizes": sizes,
            "labels": labels,
        }

    @app.post("/login", operation_id="login")
    def login(
        user: Annotated[str, Form()], password: Annotated[str, Form()], keep: Annotated[bool, Form()] = False
    ) -> dict[str, Any]:
        return {"user": user, "length": len(password), "keep": keep}

    @app.post("/tree", operation_id="tree")
    def tree(tree: Tree) -> Tree:
        return tree

    @app.post("/tags", operation_id="tags")
    def tags(values: Annotated[list[str], Body()]) -> list[str]:
        return values

    @app.post("/merge/{name}", operation_id="merge")
    def merge(name: str, item: Item) -> dict[str, Any]:
        return {"path": name, "body": item.name}

    note = {"requestBody": {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}}}

    @app.post("/note", operation_id="note", openapi_extra=note, response_class=PlainTextResponse)
    async def write_note(request: Request) -> str:
        return (await request.body()).decode().upper()

    @app.patch("/order/{id}", operation_id="patch_order")
    def patch_order(id: int, order: Order) -> Order:
        return order.model_copy(update={"id": id})


def _answers(app: FastAPI) -> None:
    @app.get(
        "/orders/{id}", operation_id="order", responses={202: {"model": Tree}, 404: {"description": "No such order."}}
    )
    def order(id: int) -> Order:
        if id == 202:
            return JSONResponse({"name": "later", "children": []}, 202)  # type: ignore[return-value]
        return Order(
            id=id, payment=Card(method="card", number="42") if id % 2 else Transfer(method="transfer", iban="X")
        )

    @app.get("/image", operation_id="image", response_class=Response, responses={200: {"content": {"image/png": {}}}})
    def image() -> Response:
        return Response(b"\x89PNG", media_type="image/png")

    @app.get("/status/{code}", operation_id="status")
    def status(code: int) -> dict[str, Any]:
        raise HTTPException(code, f"As you wish: {code}.", {"Retry-After": "7"} if code == 429 else None)

    @app.get("/wrong", operation_id="wrong")
    def wrong() -> dict[str, Any]:
        return PlainTextResponse("<html>", media_type="text/html")  # type: ignore[return-value]

    @app.get("/moved/{id}", operation_id="moved")
    def moved(id: str) -> dict[str, Any]:
        return RedirectResponse(f"/echo/{id}", 307)  # type: ignore[return-value]

    @app.post("/done", operation_id="done")
    def done() -> dict[str, Any]:
        return RedirectResponse("/echo/done", 303)  # type: ignore[return-value]

    @app.get("/old", operation_id="old", deprecated=True, summary="The old way.")
    def old() -> None:
        return None


def _secured(app: FastAPI) -> None:
    @app.get("/by/bearer", operation_id="by_bearer")
    def by_bearer(found: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]) -> bool:
        if found.credentials != TOKEN:
            raise HTTPException(401, f"The token {found.credentials} is not known.")
        return True

    @app.get("/by/basic", operation_id="by_basic")
    def by_basic(found: Annotated[HTTPBasicCredentials, Depends(HTTPBasic())]) -> bool:
        return (found.username, found.password) == (USER, PASSWORD)

    @app.get("/by/header", operation_id="by_header")
    def by_header(key: Annotated[str, Depends(APIKeyHeader(name="X-Key"))]) -> bool:
        return key == KEY

    @app.get("/by/query", operation_id="by_query")
    def by_query(key: Annotated[str, Depends(APIKeyQuery(name="key"))]) -> bool:
        return key == KEY


PRODUCTS = tuple(f"product {n}" for n in range(1, 11))
EVENTS = tuple(f"event {n}" for n in range(1, 8))


class Events(BaseModel):
    """Three at a time, and where the next ones begin."""

    events: list[str]
    next_cursor: str | None = None


def _paged(app: FastAPI) -> None:
    link: dict[int | str, dict[str, Any]] = {
        200: {"headers": {"Link": {"description": "The next page (RFC 8288).", "schema": {"type": "string"}}}}
    }

    @app.get("/products", operation_id="products", responses=link)
    def products(
        response: Response,
        page: Annotated[int, Query(ge=1)] = 1,
        per_page: Annotated[int, Query(ge=1, le=100)] = 4,
    ) -> list[str]:
        end = page * per_page
        if end < len(PRODUCTS):
            response.headers["Link"] = f'</products?page={page + 1}&per_page={per_page}>; rel="next"'
        return list(PRODUCTS[end - per_page : end])

    @app.get("/events", operation_id="events")
    def events(cursor: str | None = None) -> Events:
        start = int(cursor.removeprefix("c")) if cursor else 0
        more = start + 3 < len(EVENTS)
        return Events(events=list(EVENTS[start : start + 3]), next_cursor=f"c{start + 3}" if more else None)

    offsets = {
        "x-speakeasy-pagination": {
            "type": "offsetLimit",
            "inputs": [{"name": "begin", "in": "parameters", "type": "offset"}],
            "outputs": {"results": "$.names"},
        }
    }

    @app.get("/names", operation_id="names", openapi_extra=offsets)
    def names(begin: Annotated[int, Query(ge=0)] = 0) -> dict[str, list[str]]:
        return {"names": list(EVENTS[begin : begin + 3])}
