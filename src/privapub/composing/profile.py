"""A persona's profile, from what a person typed to what is shown."""

from collections.abc import Mapping, Sequence

from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.composing.text import emoji_tags, html_of
from privapub.errors import InvalidInput
from privapub.markup.clean import plain
from privapub.markup.render import Format
from privapub.personas import edit as editing
from privapub.personas.read import Persona, known
from privapub.server import Server


async def edit_profile(
    server: Server,
    persona_id: int,
    *,
    name: str | None = None,
    bio: str | None = None,
    locked: bool | None = None,
    discoverable: bool | None = None,
    indexable: bool | None = None,
    shows_follows: bool | None = None,
    fields: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
    text_format: Format | None = None,
    bot: bool | None = None,
    attribution_domains: Sequence[str] | None = None,
) -> Persona:
    """Change what is given and leave the rest. `fields` are all of them, name to value, as typed; links become links.

    The description is in the format that the persona likes (from now on). Raises NotFound, or InvalidInput for what is
    too long or too much.
    """
    async with server.database.read() as tx:
        me = await known(tx, persona_id)
    pairs = list(fields.items() if isinstance(fields, Mapping) else fields or ())
    if len(bio or "") > editing.BIO_LENGTH or any(len(value) > editing.BIO_LENGTH for _, value in pairs):
        raise InvalidInput("This is too long.", f"A description has up to {editing.BIO_LENGTH} characters.")
    summary = None if bio is None else await html_of(server, bio, text_format or me.text_format)
    shown = (
        None
        if fields is None
        else [{"name": plain(each), "value": _in_line(await html_of(server, value, "plain"))} for each, value in pairs]
    )
    async with server.database.write() as tx:
        before = await known(tx, persona_id)
        table = before.actor.fields if shown is None else shown
        texts = [
            before.actor.name if name is None else name,
            before.bio if bio is None else bio,
            *(text for each in table for text in (each["name"], each["value"])),
        ]
        await editing.edit(
            tx,
            persona_id,
            name=name,
            bio=bio,
            summary=summary,
            locked=locked,
            discoverable=discoverable,
            indexable=indexable,
            shows_follows=shows_follows,
            fields=shown,
            typed_fields=None if fields is None else [{"name": each, "value": value} for each, value in pairs],
            bot=bot,
            attribution_domains=attribution_domains,
            text_format=text_format,
            tags=await emoji_tags(tx, texts, Addresses(server.base_url, server.media_base_url)),
            now=clock.now(),
        )
        return await known(tx, persona_id)


def _in_line(html: str) -> str:
    """The inside of one paragraph: a field is a line of a table."""
    inside = html.removeprefix("<p>").removesuffix("</p>")
    return html if "<p>" in inside else inside
