"""What a program shows of a notification, in the language of its persona (pure)."""

from collections.abc import Mapping

from privapub.markup.characters import isolated

_ENGLISH = {
    "mention": "{} mentioned you",
    "status": "{} posted something",
    "reblog": "{} boosted your post",
    "follow": "{} follows you",
    "follow_request": "{} asks to follow you",
    "favourite": "{} likes your post",
    "poll": "A poll is over",
    "update": "{} changed a post",
    "quote": "{} quoted your post",
    "quoted_update": "{} changed a post that you quoted",
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": _ENGLISH,
    "de": {
        "mention": "{} hat dich erwähnt",
        "status": "{} hat etwas geschrieben",
        "reblog": "{} hat deinen Beitrag geteilt",
        "follow": "{} folgt dir",
        "follow_request": "{} möchte dir folgen",
        "favourite": "{} gefällt dein Beitrag",
        "poll": "Eine Umfrage ist zu Ende",
        "update": "{} hat einen Beitrag geändert",
        "quote": "{} hat deinen Beitrag zitiert",
        "quoted_update": "{} hat einen Beitrag geändert, den du zitiert hast",
    },
    "es": {
        "mention": "{} te ha mencionado",
        "status": "{} ha publicado algo",
        "reblog": "{} ha impulsado tu publicación",
        "follow": "{} te sigue",
        "follow_request": "{} quiere seguirte",
        "favourite": "A {} le gusta tu publicación",
        "poll": "Una encuesta ha terminado",
        "update": "{} ha cambiado una publicación",
        "quote": "{} ha citado tu publicación",
        "quoted_update": "{} ha cambiado una publicación que citaste",
    },
    "fr": {
        "mention": "{} vous a mentionné",
        "status": "{} a publié quelque chose",
        "reblog": "{} a partagé votre message",
        "follow": "{} vous suit",
        "follow_request": "{} demande à vous suivre",
        "favourite": "{} aime votre message",
        "poll": "Un sondage est terminé",
        "update": "{} a modifié un message",
        "quote": "{} a cité votre message",
        "quoted_update": "{} a modifié un message que vous avez cité",
    },
    "it": {
        "mention": "{} ti ha menzionato",
        "status": "{} ha pubblicato qualcosa",
        "reblog": "{} ha condiviso il tuo post",
        "follow": "{} ti segue",
        "follow_request": "{} chiede di seguirti",
        "favourite": "A {} piace il tuo post",
        "poll": "Un sondaggio è finito",
        "update": "{} ha modificato un post",
        "quote": "{} ha citato il tuo post",
        "quoted_update": "{} ha modificato un post che hai citato",
    },
}


def language_of(wanted: str | None) -> str:
    """The language in which something is said to who wants this one."""
    short = (wanted or "").partition("-")[0].lower()
    return short if short in WORDS else "en"


def title(kind: str, name: str, language: str) -> str:
    """What happened, in a sentence."""
    # A name may hold braces: it is put in, and not read. And its direction is its own.
    return WORDS[language][kind].replace("{}", isolated(name))
