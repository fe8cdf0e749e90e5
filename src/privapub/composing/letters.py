"""What letters say, and the job of the kind `letter` that sends them."""

from privapub.accounts import letters
from privapub.accounts.letters import CHANGE, CONFIRM, PASSKEY_ADDED, PASSKEY_REMOVED, RESET
from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry
from privapub.outbound import mail
from privapub.server import Server

ATTEMPTS = 8
_SUBJECT = {
    CONFIRM: "Confirm your e-mail address",
    RESET: "Set a new password",
    CHANGE: "Your new e-mail address",
    PASSKEY_ADDED: "A new passkey",
    PASSKEY_REMOVED: "A passkey was removed",
}
# Where a link leads that does something; those that do nothing lead to what there is to see.
_PATH = {CONFIRM: "/auth/confirmation", RESET: "/auth/password/new", CHANGE: "/auth/email"}
_SECURITY = "/settings/security"
_TEXT = {
    CONFIRM: (
        "Somebody has made an account at {site} with this e-mail address.\n\n"
        "If that was you, confirm it here, within two days:\n\n{link}\n\n"
        "If not, do nothing: the account goes by itself.\n"
    ),
    RESET: (
        "Somebody wants to set a new password for the account at {site} with this e-mail address.\n\n"
        "If that was you, do it here, within an hour:\n\n{link}\n\n"
        "If not, do nothing: the password stays as it is.\n"
    ),
    CHANGE: (
        "Somebody with an account at {site} wants to be known by this e-mail address from now on.\n\n"
        "If that was you, confirm it here, within an hour:\n\n{link}\n\n"
        "If not, do nothing.\n"
    ),
    PASSKEY_ADDED: (
        "The account at {site} with this e-mail address has a new passkey: whoever has it can sign in without the "
        "password.\n\n"
        "If you added it, do nothing.\n\n"
        "If not, somebody knows your password. Remove the passkey and change the password here:\n\n{link}\n"
    ),
    PASSKEY_REMOVED: (
        "A passkey of the account at {site} with this e-mail address was removed: nobody can sign in with it any "
        "more.\n\n"
        "If you removed it, do nothing.\n\n"
        "If not, somebody knows your password. Change it here:\n\n{link}\n"
    ),
}


async def send(server: Server, job: Job) -> Outcome:
    """Send the letter with this number. Sent again, it has another link, and the one before is void."""
    async with server.database.write() as tx:
        sealed = await letters.seal(tx, int(job.args["letter"]))
    if sealed is None:
        return Done()
    if not server.settings.smtp_url:
        return GiveUp("no server for letters is set (PRIVAPUB_SMTP_URL)")
    letter, secret = sealed
    path = f"{_PATH[letter.kind]}?token={secret}" if letter.kind in _PATH else _SECURITY
    link = f"{server.base_url}{path}"
    text = _TEXT[letter.kind].format(site=server.domain, link=link)
    try:
        await mail.send(server.settings.smtp_url, letter.address, f"{_SUBJECT[letter.kind]} ({server.domain})", text)
    except mail.NotTaken as refused:
        return GiveUp(str(refused)) if refused.final else Retry(why=str(refused))
    return Done()
