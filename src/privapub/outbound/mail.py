"""Letters go out by the server that the operator names (RFC 5321), in a thread. Its certificate is always checked."""

import asyncio
import smtplib
import ssl
from email.message import EmailMessage
from urllib.parse import parse_qs, unquote, urlsplit

TIMEOUT = 30.0  # seconds for each step of the talk
_PORTS = {"smtp": 25, "smtps": 465}


class NotTaken(Exception):
    """The server did not take it; `final` where it never will."""

    def __init__(self, why: str, *, final: bool) -> None:
        """Say why, without the address: this is written down."""
        super().__init__(why)
        self.final = final


async def send(url: str, to: str, subject: str, text: str) -> None:
    """Send a letter by the server of this URL (`setting_texts.smtp_url`); NotTaken where it was not taken."""
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = sender(url), to, subject
    letter["Auto-Submitted"] = "auto-generated"  # RFC 3834
    letter.set_content(text)
    await asyncio.to_thread(_send, url, to, letter)


def sender(url: str) -> str:
    """From whom letters are (pure)."""
    return parse_qs(urlsplit(url).query)["from"][0]


def _send(url: str, to: str, letter: EmailMessage) -> None:
    try:
        with _opened(url) as talk:
            talk.send_message(letter, sender(url), [to])
    except smtplib.SMTPRecipientsRefused as refused:
        code = max((code for code, _ in refused.recipients.values()), default=0)
        raise NotTaken(f"the address was refused with {code}", final=code >= 500) from None
    except smtplib.SMTPResponseException as refused:
        raise NotTaken(f"it was refused with {refused.smtp_code}", final=False) from None
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise NotTaken(f"there was no talk: {type(error).__name__}", final=False) from None


def _opened(url: str) -> smtplib.SMTP:
    """A talk with the server, encrypted where it can be, and always where a password is shown."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    context = ssl.create_default_context()
    if parts.scheme == "smtps":
        talk: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=context)
    else:
        talk = smtplib.SMTP(host, port, timeout=TIMEOUT)
        talk.ehlo()
        if talk.has_extn("starttls") or parts.username:
            talk.starttls(context=context)
            talk.ehlo()
    if parts.username:
        talk.login(unquote(parts.username), unquote(parts.password or ""))
    return talk
