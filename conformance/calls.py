"""How each method of Mastodon.py is called: what it needs is made just before, so that none needs another's luck."""

import io
import itertools
import struct
import threading
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from mastodon import Mastodon, StreamListener

PATIENCE = 8.0  # seconds that may pass until something comes to be, or comes on a stream
TODAY = datetime.now(UTC)


def picture(colour: int) -> io.BytesIO:
    """A PNG of 16 by 16."""
    lines = b"".join(b"\0" + bytes((colour, x * 16, 128)) * 16 for x in range(16))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    return io.BytesIO(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    )


class World:
    """Alice, who calls, and those whom she meets."""

    def __init__(self, url: str, confirming: str, tokens: dict[str, str]) -> None:
        """Nothing is asked yet."""
        self.url, self.confirming = url, confirming
        self.tokens = tokens
        self.count = itertools.count(1)
        self.kept: dict[str, Any] = {}
        self.alice, self.bob, self.carol, self.dave = (
            Mastodon(
                access_token=tokens[name], api_base_url=url, version_check_mode="none", ratelimit_method="throw",
                request_timeout=20,
            )
            for name in ("alice", "bob", "carol", "dave")
        )  # fmt: skip

    def who(self, of: Mastodon) -> Any:
        """The id of one of them."""
        if of not in self.kept:
            self.kept[of] = of.account_verify_credentials()["id"]
        return self.kept[of]

    def status(self, of: Mastodon | None = None, words: str = "words", **how: Any) -> Any:
        """A new post: its id."""
        return (of or self.alice).status_post(f"{words} {next(self.count)}", **how)["id"]

    def poll(self) -> Any:
        """The id of a poll of bob's."""
        poll = self.bob.make_poll(["yes", "no"], 3600)
        return self.bob.status_post(f"which? {next(self.count)}", poll=poll)["poll"]["id"]

    def a_list(self) -> Any:
        """The id of a new list of alice's."""
        return self.alice.list_create(f"list {next(self.count)}")["id"]

    def followed(self) -> Any:
        """Bob's id, whom alice follows."""
        self.alice.account_follow(self.who(self.bob))
        return self.who(self.bob)

    def listed(self) -> Any:
        """The id of a list with bob on it."""
        lists = self.a_list()
        self.alice.list_accounts_add(lists, [self.followed()])
        return lists

    def a_filter(self) -> Any:
        """The id of a new filter of alice's."""
        return self.alice.create_filter_v2(f"filter {next(self.count)}", ["home"], "warn")["id"]

    def old_filter(self) -> Any:
        """The id of a new filter of the first kind."""
        return self.alice.filter_create(f"phrase{next(self.count)}", ["home"])["id"]

    def keyword(self) -> Any:
        """The id of a keyword of a filter."""
        return self.alice.add_filter_keyword_v2(self.a_filter(), "word")["id"]

    def filtered(self) -> Any:
        """The id of a post that a filter names."""
        return self.alice.add_filter_status_v2(self.a_filter(), self.status())["id"]

    def scheduled(self) -> Any:
        """The id of a post for later."""
        later = TODAY + timedelta(days=1)
        return self.alice.status_post(f"later {next(self.count)}", scheduled_at=later)["id"]

    def media(self) -> Any:
        """The id of a picture of alice's."""
        return self.alice.media_post(picture(next(self.count) % 256), "image/png", synchronous=True)["id"]

    def tag(self) -> str:
        """A hashtag that alice uses."""
        name = f"tag{next(self.count)}"
        self.status(words=f"#{name}")
        return name

    def asked(self, by: Mastodon) -> Any:
        """The id of somebody who asks to follow alice, who is careful."""
        self.alice.account_update_credentials(locked=True)
        try:
            by.account_unfollow(self.who(self.alice))
            by.account_follow(self.who(self.alice))
        finally:
            self.alice.account_update_credentials(locked=False)
        return self.who(by)

    def told(self) -> Any:
        """A notification of alice's: bob likes what she said."""
        self.bob.status_favourite(self.status())
        return self.until(lambda: self.alice.notifications(types=["favourite"]))[0]

    def group(self) -> str:
        """The key of a group of notifications."""
        self.bob.status_favourite(self.status())
        found = self.until(lambda: self.alice.grouped_notifications(types=["favourite"]).notification_groups)
        return str(found[0]["group_key"])

    def requested(self) -> Any:
        """The id of a request: somebody new, whom alice does not follow, speaks to her, who does not want that told."""
        self.alice.update_notifications_policy(for_not_following="filter")
        try:
            self.status(self.member(), "@alice hello")
            return self.until(self.alice.notification_requests)[0]["id"]
        finally:
            self.alice.update_notifications_policy(for_not_following="accept")

    def conversation(self) -> Any:
        """The id of a conversation of alice with bob."""
        self.status(self.bob, "@alice hush", visibility="direct")
        return self.until(self.alice.conversations)[0]["id"]

    def quoting(self) -> tuple[Any, Any]:
        """A post of alice's, and one of bob's that quotes it."""
        quoted = self.status(quote_approval_policy="public")
        return quoted, self.status(self.bob, quoted_status_id=quoted)

    def announcement(self) -> Any:
        """The id of what is announced."""
        return self.alice.announcements()[0]["id"]

    def refresh(self) -> Any:
        """The id of what is being fetched: the answers to a post."""
        context = self.alice.status_context(self.status())
        return getattr(context, "_async_refresh", {"id": "none"})["id"]

    def pushed(self) -> Any:
        """A subscription of alice's."""
        _, public = self.alice.push_subscription_generate_keys()
        return self.alice.push_subscription_set("https://push.example/x", public, mention_events=True)

    def app(self, url: str) -> Mastodon:
        """A program of its own that nobody has signed in to."""
        name, secret = Mastodon.create_app("conformance", scopes=["read", "write"], api_base_url=url)
        return Mastodon(name, secret, api_base_url=url, version_check_mode="none", request_timeout=20)

    def member(self, url: str = "") -> Mastodon:
        """Somebody who has just signed up."""
        by = self.app(url or self.url)
        name = f"new{next(self.count)}"
        by.create_account(
            name, "a long enough password", f"{name}@conformance.example", agreement=True, scopes=["read", "write"]
        )
        return by

    def sign_up(self) -> str:
        """The token of somebody who has just signed up."""
        return str(self.member().access_token)

    def until(self, look: Callable[[], Any]) -> Any:
        """The first answer that is not empty."""
        ends = datetime.now(UTC) + timedelta(seconds=PATIENCE)
        tick = threading.Event()
        while not (found := look()):
            if datetime.now(UTC) > ends:
                raise TimeoutError("nothing came of what was done before")
            tick.wait(0.1)
        return found

    def heard(self, listen: Callable[[StreamListener], Any], then: Callable[[], Any], event: str = "update") -> None:
        """Whether a stream tells what is done then."""
        heard, ready = threading.Event(), threading.Event()

        class Ear(StreamListener):
            def handle_heartbeat(self) -> None:
                ready.set()

            def on_any_event(self, name: str, data: Any, *_: Any) -> None:
                if name == event and data is not None:
                    heard.set()

        handle = listen(Ear())
        try:
            # What is said before the server listens is not to be told; it says so by a heartbeat at the beginning.
            ready.wait(3)
            then()
            if not heard.wait(PATIENCE):
                raise TimeoutError(f"no {event} was heard")
        finally:
            # It waits for what the server says next, which nobody needs to hear.
            threading.Thread(target=handle.close, daemon=True).start()

    def user_information(self) -> Any:
        """What the server says of who is signed in."""
        by = self.another()
        # Of an address that it is told it asks for https, which the loopback has not: it asks the one that it knows.
        by.oauth_authorization_server_info = dict
        return by.oauth_userinfo()

    def another(self) -> Mastodon:
        """Alice once more."""
        return Mastodon(access_token=self.tokens["alice"], api_base_url=self.url, version_check_mode="none")

    def gave_back(self) -> Any:
        """A token is taken back by its program."""
        by = self.member()
        return by.revoke_access_token(allow_http=True)

    def opened(self) -> Any:
        """One connection, on which streams are asked for."""
        listened: list[Any] = []

        def listen(ear: StreamListener) -> Any:
            handle = self.alice.stream_open_websocket(ear)
            listened.append(handle)
            self.alice.stream_user(ear, websocket_handle=handle)
            return handle

        self.heard(listen, self.status)
        return listened[0]


# Methods of which the table does not name the endpoint, as it is put together of pieces.
REACHING = {
    "create_app": ("POST", "/api/v1/apps"),
    "instance": ("GET", "/api/v2/instance"),
    "me": ("GET", "/api/v1/accounts/verify_credentials"),
    "oauth_userinfo": ("GET", "/oauth/userinfo"),
    "revoke_access_token": ("POST", "/oauth/revoke"),
    "search": ("GET", "/api/v2/search"),
    "status_post": ("POST", "/api/v1/statuses"),
    "status_reply": ("POST", "/api/v1/statuses"),
    "status_update": ("PUT", "/api/v1/statuses/{id}"),
    "stream_direct": ("GET", "/api/v1/streaming/direct"),
    "stream_hashtag": ("GET", "/api/v1/streaming/hashtag"),
    "stream_list": ("GET", "/api/v1/streaming/list"),
    "stream_local": ("GET", "/api/v1/streaming/public/local"),
    "stream_open_websocket": ("GET", "/api/v1/streaming"),
    "stream_public": ("GET", "/api/v1/streaming/public"),
    "stream_user": ("GET", "/api/v1/streaming/user"),
    "stream_user_notifications": ("GET", "/api/v1/streaming/user/notification"),
    "suggestions": ("GET", "/api/v2/suggestions"),
    "timeline": ("GET", "/api/v1/timelines/home"),
    "timeline_hashtag": ("GET", "/api/v1/timelines/tag/{hashtag}"),
    "timeline_home": ("GET", "/api/v1/timelines/home"),
    "timeline_link": ("GET", "/api/v1/timelines/link"),
    "timeline_list": ("GET", "/api/v1/timelines/list/{list_id}"),
    "timeline_local": ("GET", "/api/v1/timelines/public"),
    "timeline_public": ("GET", "/api/v1/timelines/public"),
    "toot": ("POST", "/api/v1/statuses"),
    "trends": ("GET", "/api/v1/trends"),
}

CALLS: dict[str, Callable[[World], Any]] = {
    # Signing in, and what the server says of itself.
    "create_app": lambda w: Mastodon.create_app("conformance", api_base_url=w.url),
    "app_verify_credentials": lambda w: w.alice.app_verify_credentials(),
    "oauth_authorization_server_info": lambda w: w.alice.oauth_authorization_server_info(),
    "oauth_userinfo": lambda w: w.user_information(),
    "create_account": lambda w: w.sign_up(),
    "email_resend_confirmation": lambda w: w.member(w.confirming).email_resend_confirmation(),
    "revoke_access_token": lambda w: w.gave_back(),
    "instance": lambda w: w.alice.instance(),
    "instance_v1": lambda w: w.alice.instance_v1(),
    "instance_v2": lambda w: w.alice.instance_v2(),
    "instance_activity": lambda w: w.alice.instance_activity(),
    "instance_domain_blocks": lambda w: w.alice.instance_domain_blocks(),
    "instance_extended_description": lambda w: w.alice.instance_extended_description(),
    "instance_health": lambda w: w.alice.instance_health(),
    "instance_languages": lambda w: w.alice.instance_languages(),
    "instance_peers": lambda w: w.alice.instance_peers(),
    "instance_rules": lambda w: w.alice.instance_rules(),
    "instance_terms_of_service": lambda w: w.alice.instance_terms_of_service(),
    "instance_translation_languages": lambda w: w.alice.instance_translation_languages(),
    "custom_emojis": lambda w: w.alice.custom_emojis(),
    "directory": lambda w: w.alice.directory(local=True, limit=5),
    "announcements": lambda w: w.alice.announcements(),
    "announcement_dismiss": lambda w: w.alice.announcement_dismiss(w.announcement()),
    "announcement_reaction_create": lambda w: w.alice.announcement_reaction_create(w.announcement(), "🎉"),
    "announcement_reaction_delete": lambda w: (
        w.alice.announcement_reaction_create(w.announcement(), "🍰"),
        w.alice.announcement_reaction_delete(w.announcement(), "🍰"),
    )[1],
    # Oneself.
    "me": lambda w: w.alice.me(),
    "account_verify_credentials": lambda w: w.alice.account_verify_credentials(),
    "account_update_credentials": lambda w: w.alice.account_update_credentials(
        display_name="Alice", note="Here.", avatar=picture(1), avatar_mime_type="image/png", header=picture(2),
        header_mime_type="image/png", discoverable=True, fields=[("one", "two")], indexable=True,
        default_privacy="public", default_language="en",
    ),
    "account_delete_avatar": lambda w: w.alice.account_delete_avatar(),
    "account_delete_header": lambda w: w.alice.account_delete_header(),
    "profile": lambda w: w.alice.profile(),
    "profile_update": lambda w: w.alice.profile_update(display_name="Alice", note="Here again.", show_media=True),
    "preferences": lambda w: w.alice.preferences(),
    # Others.
    "account": lambda w: w.alice.account(w.who(w.bob)),
    "accounts": lambda w: w.alice.accounts([w.who(w.bob), w.who(w.carol)]),
    "account_lookup": lambda w: w.alice.account_lookup("bob"),
    "account_search": lambda w: w.alice.account_search("bob", limit=3),
    "account_statuses": lambda w: (w.status(w.bob), w.alice.account_statuses(w.who(w.bob), exclude_replies=True))[1],
    "account_featured_tags": lambda w: w.alice.account_featured_tags(w.who(w.bob)),
    "account_follow": lambda w: w.alice.account_follow(w.who(w.bob), notify=True),
    "account_unfollow": lambda w: w.alice.account_unfollow(w.followed()),
    "account_followers": lambda w: (w.followed(), w.alice.account_followers(w.who(w.bob)))[1],
    "account_following": lambda w: (w.followed(), w.alice.account_following(w.who(w.alice), limit=1))[1],
    "account_familiar_followers": lambda w: w.alice.account_familiar_followers([w.who(w.bob)]),
    "account_relationships": lambda w: w.alice.account_relationships([w.who(w.bob), w.who(w.carol)]),
    "account_remove_from_followers": lambda w: (
        w.bob.account_follow(w.who(w.alice)), w.alice.account_remove_from_followers(w.who(w.bob)),
    )[1],
    "account_block": lambda w: w.alice.account_block(w.who(w.carol)),
    "blocks": lambda w: (w.alice.account_block(w.who(w.carol)), w.alice.blocks())[1],
    "account_unblock": lambda w: w.alice.account_unblock(w.who(w.carol)),
    "account_mute": lambda w: w.alice.account_mute(w.who(w.carol), duration=3600),
    "mutes": lambda w: (w.alice.account_mute(w.who(w.carol)), w.alice.mutes())[1],
    "account_unmute": lambda w: w.alice.account_unmute(w.who(w.carol)),
    "account_note_set": lambda w: w.alice.account_note_set(w.who(w.bob), "from the library"),
    "account_endorse": lambda w: w.alice.account_endorse(w.followed()),
    "endorsements": lambda w: (w.alice.account_endorse(w.followed()), w.alice.endorsements())[1],
    "account_unendorse": lambda w: w.alice.account_unendorse(w.followed()),
    "account_lists": lambda w: (w.listed(), w.alice.account_lists(w.who(w.bob)))[1],
    "domain_block": lambda w: w.alice.domain_block("elsewhere.example"),
    "domain_blocks": lambda w: (w.alice.domain_block("elsewhere.example"), w.alice.domain_blocks())[1],
    "domain_unblock": lambda w: w.alice.domain_unblock("elsewhere.example"),
    "follow_requests": lambda w: (w.asked(w.dave), w.alice.follow_requests())[1],
    "follow_request_authorize": lambda w: w.alice.follow_request_authorize(w.asked(w.dave)),
    "follow_request_reject": lambda w: w.alice.follow_request_reject(w.asked(w.dave)),
    "suggestions": lambda w: w.alice.suggestions(),
    "suggestions_v1": lambda w: w.alice.suggestions_v1(),
    "suggestions_v2": lambda w: w.alice.suggestions_v2(),
    "suggestion_delete": lambda w: w.alice.suggestion_delete(w.who(w.dave)),
    "report": lambda w: w.alice.report(w.who(w.dave), [w.status(w.dave)], comment="spam", category="spam"),
    # Posts.
    "status_post": lambda w: w.alice.status_post(
        "with a picture", media_ids=[w.media()], sensitive=True, spoiler_text="a picture", language="en",
        visibility="unlisted", idempotency_key=f"once{next(w.count)}",
    ),
    "toot": lambda w: w.alice.toot("words"),
    "status_reply": lambda w: w.alice.status_reply(w.bob.status(w.status(w.bob)), "an answer"),
    "status_update": lambda w: w.alice.status_update(w.status(), "changed"),
    "status": lambda w: w.alice.status(w.status(w.bob)),
    "statuses": lambda w: w.alice.statuses([w.status(), w.status(w.bob)]),
    "status_context": lambda w: w.alice.status_context(w.status(in_reply_to_id=w.status(w.bob))),
    "status_delete": lambda w: w.alice.status_delete(w.status()),
    "status_source": lambda w: w.alice.status_source(w.status()),
    "status_history": lambda w: w.alice.status_history(w.alice.status_update(w.status(), "changed")["id"]),
    "status_favourite": lambda w: w.alice.status_favourite(w.status(w.bob)),
    "status_unfavourite": lambda w: w.alice.status_unfavourite(w.alice.status_favourite(w.status(w.bob))["id"]),
    "status_favourited_by": lambda w: w.alice.status_favourited_by(w.bob.status_favourite(w.status())["id"]),
    "favourites": lambda w: (w.alice.status_favourite(w.status(w.bob)), w.alice.favourites())[1],
    "status_reblog": lambda w: w.alice.status_reblog(w.status(w.bob), visibility="public"),
    "status_unreblog": lambda w: w.alice.status_unreblog(w.alice.status_reblog(w.status(w.bob))["reblog"]["id"]),
    "status_reblogged_by": lambda w: w.alice.status_reblogged_by(w.bob.status_reblog(w.status())["reblog"]["id"]),
    "status_bookmark": lambda w: w.alice.status_bookmark(w.status(w.bob)),
    "status_unbookmark": lambda w: w.alice.status_unbookmark(w.alice.status_bookmark(w.status(w.bob))["id"]),
    "bookmarks": lambda w: (w.alice.status_bookmark(w.status(w.bob)), w.alice.bookmarks())[1],
    "status_mute": lambda w: w.alice.status_mute(w.status()),
    "status_unmute": lambda w: w.alice.status_unmute(w.alice.status_mute(w.status())["id"]),
    "status_pin": lambda w: w.alice.status_pin(w.status()),
    "status_unpin": lambda w: w.alice.status_unpin(w.alice.status_pin(w.status())["id"]),
    "status_quotes": lambda w: w.alice.status_quotes(w.quoting()[0]),
    "status_quote_revoke": lambda w: w.alice.status_quote_revoke(*w.quoting()),
    "status_update_quote_approval_policy": lambda w: w.alice.status_update_quote_approval_policy(w.status(), "nobody"),
    "poll": lambda w: w.alice.poll(w.poll()),
    "poll_vote": lambda w: w.alice.poll_vote(w.poll(), [0]),
    "scheduled_status": lambda w: w.alice.scheduled_status(w.scheduled()),
    "scheduled_statuses": lambda w: (w.scheduled(), w.alice.scheduled_statuses())[1],
    "scheduled_status_update": lambda w: w.alice.scheduled_status_update(
        w.scheduled(), TODAY + timedelta(days=2)
    ),
    "scheduled_status_delete": lambda w: w.alice.scheduled_status_delete(w.scheduled()),
    "media_post": lambda w: w.alice.media_post(picture(3), "image/png", description="red", focus=(0.1, -0.2)),
    "media": lambda w: w.alice.media(w.media()),
    "media_update": lambda w: w.alice.media_update(w.media(), description="redder", focus=(0, 0)),
    "media_delete": lambda w: w.alice.media_delete(w.media()),
    "get_async_refresh_status": lambda w: w.alice.get_async_refresh_status(w.refresh()),
    # Timelines, and what is found.
    "timeline": lambda w: (w.status(), w.alice.timeline("home", limit=1))[1],
    "timeline_home": lambda w: w.alice.timeline_home(limit=5),
    "timeline_public": lambda w: w.alice.timeline_public(limit=5),
    "timeline_local": lambda w: w.alice.timeline_local(limit=5),
    "timeline_hashtag": lambda w: w.alice.timeline_hashtag(w.tag()),
    "timeline_list": lambda w: (w.status(w.bob), w.alice.timeline_list(w.listed()))[1],
    "timeline_link": lambda w: w.alice.timeline_link("https://elsewhere.example/"),
    "conversations": lambda w: (w.conversation(), w.alice.conversations())[1],
    "conversations_read": lambda w: w.alice.conversations_read(w.conversation()),
    "markers_set": lambda w: w.alice.markers_set(["home"], [w.status()]),
    "markers_get": lambda w: (w.alice.markers_set(["home"], [w.status()]), w.alice.markers_get(["home"]))[1],
    "search": lambda w: w.alice.search("bob", resolve=False),
    "search_v2": lambda w: (w.status(words="findable #findable"), w.alice.search_v2("findable", resolve=False))[1],
    "trends": lambda w: w.alice.trends(),
    "trending_tags": lambda w: w.alice.trending_tags(),
    "trending_statuses": lambda w: w.alice.trending_statuses(),
    "trending_links": lambda w: w.alice.trending_links(),
    "tag": lambda w: w.alice.tag(w.tag()),
    "tag_follow": lambda w: w.alice.tag_follow(w.tag()),
    "tag_unfollow": lambda w: w.alice.tag_unfollow(w.alice.tag_follow(w.tag())["name"]),
    "followed_tags": lambda w: (w.alice.tag_follow(w.tag()), w.alice.followed_tags())[1],
    "tag_feature": lambda w: w.alice.tag_feature(w.tag()),
    "tag_unfeature": lambda w: w.alice.tag_unfeature(w.alice.tag_feature(w.tag())["name"]),
    "featured_tag_create": lambda w: w.alice.featured_tag_create(w.tag()),
    "featured_tags": lambda w: (w.alice.featured_tag_create(w.tag()), w.alice.featured_tags())[1],
    "featured_tag_suggestions": lambda w: (w.tag(), w.alice.featured_tag_suggestions())[1],
    "featured_tag_delete": lambda w: w.alice.featured_tag_delete(w.alice.featured_tag_create(w.tag())["id"]),
    # Lists and filters.
    "lists": lambda w: (w.a_list(), w.alice.lists())[1],
    "list": lambda w: w.alice.list(w.a_list()),
    "list_create": lambda w: w.alice.list_create("friends", replies_policy="followed", exclusive=True),
    "list_update": lambda w: w.alice.list_update(w.a_list(), "fiends", replies_policy="none"),
    "list_delete": lambda w: w.alice.list_delete(w.a_list()),
    "list_accounts": lambda w: w.alice.list_accounts(w.listed()),
    "list_accounts_add": lambda w: w.alice.list_accounts_add(w.a_list(), [w.followed()]),
    "list_accounts_delete": lambda w: w.alice.list_accounts_delete(w.listed(), [w.who(w.bob)]),
    "filters": lambda w: (w.old_filter(), w.alice.filters())[1],
    "filter": lambda w: w.alice.filter(w.old_filter()),
    "filter_create": lambda w: w.alice.filter_create("spiders", ["home", "public"], expires_in=3600),
    "filter_update": lambda w: w.alice.filter_update(w.old_filter(), phrase="snakes", context=["home"]),
    "filter_delete": lambda w: w.alice.filter_delete(w.old_filter()),
    "filters_v2": lambda w: (w.keyword(), w.filtered(), w.alice.filters_v2())[2],
    "filter_v2": lambda w: w.alice.filter_v2(w.a_filter()),
    "create_filter_v2": lambda w: w.alice.create_filter_v2(
        "spiders", ["home"], "warn", expires_in=3600, keywords_attributes=[{"keyword": "spider", "whole_word": True}]
    ),
    "update_filter_v2": lambda w: w.alice.update_filter_v2(w.a_filter(), title="snakes", filter_action="hide"),
    "delete_filter_v2": lambda w: w.alice.delete_filter_v2(w.a_filter()),
    "add_filter_keyword_v2": lambda w: w.alice.add_filter_keyword_v2(w.a_filter(), "spider", whole_word=True),
    "filter_keywords_v2": lambda w: w.alice.filter_keywords_v2(w.a_filter()),
    "delete_filter_keyword_v2": lambda w: w.alice.delete_filter_keyword_v2(w.keyword()),
    "add_filter_status_v2": lambda w: w.alice.add_filter_status_v2(w.a_filter(), w.status()),
    "filter_statuses_v2": lambda w: w.alice.filter_statuses_v2(w.a_filter()),
    "filter_status_v2": lambda w: w.alice.filter_status_v2(w.filtered()),
    "delete_filter_status_v2": lambda w: w.alice.delete_filter_status_v2(w.filtered()),
    # What is told.
    "notifications": lambda w: (w.told(), w.alice.notifications(limit=5))[1],
    "notifications_unread_count": lambda w: w.alice.notifications_unread_count(),
    "notifications_dismiss": lambda w: w.alice.notifications_dismiss(w.told()["id"]),
    "notifications_clear": lambda w: w.alice.notifications_clear(),
    "grouped_notifications": lambda w: (w.group(), w.alice.grouped_notifications(limit=5))[1],
    "grouped_notification": lambda w: w.alice.grouped_notification(w.group()),
    "grouped_notification_accounts": lambda w: w.alice.grouped_notification_accounts(w.group()),
    "unread_grouped_notifications_count": lambda w: w.alice.unread_grouped_notifications_count(),
    "dismiss_grouped_notification": lambda w: w.alice.dismiss_grouped_notification(w.group()),
    "notifications_policy": lambda w: w.alice.notifications_policy(),
    "update_notifications_policy": lambda w: w.alice.update_notifications_policy(for_limited_accounts="filter"),
    "notification_requests": lambda w: (w.requested(), w.alice.notification_requests())[1],
    "notification_request": lambda w: w.alice.notification_request(w.requested()),
    "notifications_merged": lambda w: w.alice.notifications_merged(),
    "accept_notification_request": lambda w: w.alice.accept_notification_request(w.requested()),
    "dismiss_notification_request": lambda w: w.alice.dismiss_notification_request(w.requested()),
    "accept_multiple_notification_requests": lambda w: w.alice.accept_multiple_notification_requests(
        [w.requested()]
    ),
    "dismiss_multiple_notification_requests": lambda w: w.alice.dismiss_multiple_notification_requests(
        [w.requested()]
    ),
    "push_subscription_set": lambda w: w.pushed(),
    "push_subscription": lambda w: (w.pushed(), w.alice.push_subscription())[1],
    "push_subscription_update": lambda w: (w.pushed(), w.alice.push_subscription_update(mention_events=False))[1],
    "push_subscription_delete": lambda w: (w.pushed(), w.alice.push_subscription_delete())[1],
    # Streams.
    "stream_healthy": lambda w: w.alice.stream_healthy(),
    "stream_user": lambda w: w.heard(lambda ear: w.alice.stream_user(ear, run_async=True), w.status),
    "stream_user_notifications": lambda w: w.heard(
        lambda ear: w.alice.stream_user_notifications(ear, run_async=True), w.told, "notification"
    ),
    "stream_public": lambda w: w.heard(lambda ear: w.alice.stream_public(ear, run_async=True), w.status),
    "stream_local": lambda w: w.heard(lambda ear: w.alice.stream_local(ear, run_async=True), w.status),
    "stream_hashtag": lambda w: w.heard(
        lambda ear: w.alice.stream_hashtag("streamed", ear, run_async=True), lambda: w.status(words="#streamed")
    ),
    "stream_list": lambda w: w.heard(
        lambda ear: w.alice.stream_list(w.listed(), ear, run_async=True), lambda: w.status(w.bob)
    ),
    "stream_direct": lambda w: w.heard(
        lambda ear: w.alice.stream_direct(ear, run_async=True), w.conversation, "conversation"
    ),
    "stream_open_websocket": lambda w: w.opened(),
}  # fmt: skip
