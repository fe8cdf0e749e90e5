"""A browser without scripts: it keeps cookies, reads forms as they are shown, fills them in and sends them."""

from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from lxml import html

from asgi import HTML, Answered, Application


@dataclass
class Browser:
    """One person's; `at` says the network that a proxy in front of the server saw them come from."""

    sut: Application
    at: str = ""
    cookies: dict[str, str] = field(default_factory=dict)
    page: Answered | None = None
    where: str = ""

    async def get(self, path: str) -> Answered:
        """Ask for a page; nothing is followed."""
        return await self._ask("GET", path)

    async def follow(self, answer: Answered) -> Answered:
        """Go where answers lead, as long as it is here."""
        while answer.status == 303 and answer.headers["location"].startswith("/"):
            answer = await self.get(answer.headers["location"])
        return answer

    async def open(self, path: str) -> Answered:
        """A page, wherever it leads on this server."""
        return await self.follow(await self.get(path))

    async def send(self, press: str = "", number: int | None = None, **values: str) -> Answered:
        """Fill in a form of the page that is shown, press a button of it (by what stands on it), and send it.

        It is the form with this number, else that with the button, else the first.
        """
        forms = self.forms()
        pressed = (
            form for form in forms if press and press in (each.text_content().strip() for each in form.iter("button"))
        )
        form = forms[number] if number is not None else next(pressed, forms[0])
        given = {name: str(value) for name, value in form.form_values()}
        for name in values:
            assert name in form.fields, (name, list(form.fields))
        given |= values
        for button in form.iter("button"):
            if button.get("name") and button.text_content().strip() == press:
                given[button.get("name")] = button.get("value")
        return await self.post(form.action, given)

    async def post(self, path: str, given: dict[str, str]) -> Answered:
        """Send this as a form."""
        return await self._ask("POST", path, urlencode(given).encode())

    def forms(self) -> list[html.FormElement]:
        """The forms of the page that is shown."""
        assert self.page is not None
        return list(html.fromstring(self.page.body).forms)

    def says(self) -> str:
        """The words of the page that is shown."""
        assert self.page is not None
        return " ".join(html.fromstring(self.page.body).find(".//main").text_content().split())

    async def _ask(self, method: str, path: str, body: bytes = b"") -> Answered:
        headers = [("Host", "sut.test"), ("Accept", HTML)]
        if self.cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())))
        if self.at:
            headers.append(("X-Forwarded-For", self.at))
        if body:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        answer = await self.sut.ask(method, path, headers, body)
        for name, morsel in SimpleCookie(answer.headers.get("set-cookie", "")).items():
            self.cookies[name] = morsel.value
        self.page, self.where = answer, path
        return answer
