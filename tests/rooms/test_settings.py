"""How settings are read, and what is said when they are wrong."""

from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.errors import OperatorError
from privapub.setting_texts import Listen
from privapub.settings import Settings, load, masked, variable


def sentence(environ: dict[str, str]) -> str:
    with pytest.raises(OperatorError) as caught:
        load(environ)
    return f"{caught.value} {caught.value.hint}"


def test_without_anything_set_the_server_runs_on_localhost_from_the_data_folder() -> None:
    settings = load({}).settings
    assert settings == Settings()
    assert settings.database == "sqlite:///data/privapub.sqlite3"
    assert settings.base_url == "http://localhost:8000"
    assert settings.handle_domain == "localhost:8000"
    assert settings.allow_addresses == ()


def test_every_variable_is_read() -> None:
    settings = load(
        {
            "PRIVAPUB_DATA": "/srv/privapub",
            "PRIVAPUB_DATABASE_URL": "postgres://town:secret@db/town",
            "PRIVAPUB_LISTEN": "[::1]:9000",
            "PRIVAPUB_BASE_URL": "https://Social.Example/",
            "PRIVAPUB_HANDLE_DOMAIN": "Example",
            "PRIVAPUB_ALLOW_ADDRESSES": "127.0.0.0/8, ::1",
            "PRIVAPUB_SECURE_MODE": "On",
            "PRIVAPUB_REGISTRATIONS": "Approval",
            "PRIVAPUB_SMTP_URL": "smtp://ann:s3cret@mail.example:587?from=town@town.example",
            "PRIVAPUB_ABOUT": "/srv/about",
            "PRIVAPUB_CONTACT_PERSONA": "ann",
            "PRIVAPUB_LANGUAGES": "de, pt-BR",
            "PRIVAPUB_API_PER_TOKEN": "301",
            "PRIVAPUB_API_PER_ADDRESS": "302",
            "PRIVAPUB_SIGN_UPS_PER_ADDRESS": "3",
            "PRIVAPUB_NAME": "Our town",
            "PRIVAPUB_DESCRIPTION": "For us.",
            "PRIVAPUB_CONTACT": "us@example",
            "PRIVAPUB_DELIVERIES_AT_ONCE": "20",
            "PRIVAPUB_DELIVERIES_PER_HOST": "3",
            "PRIVAPUB_DELIVERIES_FAILING": "1",
            "PRIVAPUB_DELIVERIES_ASIDE": "0",
            "PRIVAPUB_STORAGE_URL": "s3://bucket/town",
            "PRIVAPUB_PG_TOOLS": "/opt/postgresql/bin",
            "PRIVAPUB_FFMPEG": "/opt/ffmpeg",
            "PRIVAPUB_MEDIA_BYTES": "11",
            "PRIVAPUB_MEDIA_QUOTA": "20",
            "PRIVAPUB_MEDIA_PIXELS": "12",
            "PRIVAPUB_MEDIA_SIDE": "1300",
            "PRIVAPUB_MEDIA_FRAMES": "14",
            "PRIVAPUB_MEDIA_DURATION": "15",
            "PRIVAPUB_MEDIA_LONGEST": "1600",
            "PRIVAPUB_MEDIA_MEMORY": "1700",
            "PRIVAPUB_MEDIA_SECONDS": "18",
            "PRIVAPUB_MEDIA_FILM_SECONDS": "19",
            "PRIVAPUB_CACHE": "/srv/cache",
            "PRIVAPUB_CACHE_SIZE": "20",
            "PRIVAPUB_PREFETCH": "off",
            "PRIVAPUB_PREFETCH_AFTER": "21",
            "PRIVAPUB_PREFETCH_UNTIL": "22",
            "PRIVAPUB_REMOTE_PICTURE_BYTES": "23",
            "PRIVAPUB_REMOTE_FILM_BYTES": "24",
            "PRIVAPUB_INBOX_AT_ONCE": "4",
            "PRIVAPUB_INBOX_PER_ADDRESS": "5",
            "PRIVAPUB_INBOX_CLAIMS_PER_HOST": "6",
            "PRIVAPUB_INBOX_PER_HOST": "7",
            "PRIVAPUB_INBOX_WAITING_PER_HOST": "8",
            "PRIVAPUB_INBOX_REQUESTS": "9",
            "PRIVAPUB_INBOX_MEMORY": "10",
            "PRIVAPUB_PROXIES": "192.0.2.1, 2001:db8::/32",
            "PRIVAPUB_THREADS_AT_ONCE": "9",
            "PRIVAPUB_MAX_BODY": "2048",
            "PRIVAPUB_SIGNATURE_PAST": "300",
            "PRIVAPUB_SIGNATURE_AHEAD": "60",
            "PRIVAPUB_FETCH_TIMEOUT": "5",
            "PRIVAPUB_LOG_LEVEL": "DEBUG",
            "PRIVAPUB_FEDERATION": "allow-list",
            "PRIVAPUB_LOG_FORMAT": "json",
        }
    ).settings
    assert settings == Settings(
        data=Path("/srv/privapub"),
        database_url="postgresql://town:secret@db/town",
        listen=Listen("::1", 9000),
        base_url="https://social.example",
        handle_domain="example",
        allow_addresses=(ip_network("127.0.0.0/8"), ip_network("::1/128")),
        name="Our town",
        description="For us.",
        contact="us@example",
        deliveries_at_once=20,
        deliveries_per_host=3,
        deliveries_failing=1,
        deliveries_aside=0,
        storage_url="s3://bucket/town",
        pg_tools="/opt/postgresql/bin",
        ffmpeg="/opt/ffmpeg",
        media_bytes=11,
        media_quota=20,
        media_pixels=12,
        media_side=1300,
        media_frames=14,
        media_duration=15,
        media_longest=1600,
        media_memory=1700,
        media_seconds=18,
        media_film_seconds=19,
        cache="/srv/cache",
        cache_size=20,
        prefetch=False,
        prefetch_after=21,
        prefetch_until=22,
        remote_picture_bytes=23,
        remote_film_bytes=24,
        inbox_at_once=4,
        inbox_per_address=5,
        inbox_claims_per_host=6,
        inbox_per_host=7,
        inbox_waiting_per_host=8,
        inbox_requests=9,
        inbox_memory=10,
        proxies=(ip_network("192.0.2.1/32"), ip_network("2001:db8::/32")),
        threads_at_once=9,
        max_body=2048,
        signature_past=300,
        signature_ahead=60,
        fetch_timeout=5,
        log_level="debug",
        federation="allow-list",
        secure_mode=True,
        registrations="approval",
        smtp_url="smtp://ann:s3cret@mail.example:587?from=town@town.example",
        about="/srv/about",
        contact_persona="ann",
        languages=("de", "pt-BR"),
        api_per_token=301,
        api_per_address=302,
        sign_ups_per_address=3,
        log_format="json",
    )
    untouched = [item.name for item in fields(Settings) if getattr(settings, item.name) == item.default]
    assert untouched == []
    assert settings.database == settings.database_url
    assert settings.storage == settings.storage_url


def test_the_domain_of_handles_follows_the_base_url() -> None:
    assert load({"PRIVAPUB_BASE_URL": "https://social.example"}).settings.handle_domain == "social.example"
    assert Settings(listen=Listen("::1", 80)).base_url == "http://[::1]:80"


def test_the_file_sets_and_the_environment_wins_and_each_value_tells_where_it_came_from(tmp_path: Path) -> None:
    file = tmp_path / "privapub.toml"
    file.write_text('name = "File"\nmax_body = 4096\nallow_addresses = ["10.0.0.0/8", "::1"]\ncontact = "file"\n')
    loaded = load({"PRIVAPUB_CONFIG": str(file), "PRIVAPUB_NAME": "Environment", "PRIVAPUB_CONTACT": ""})
    assert loaded.settings.name == "Environment"
    assert loaded.settings.max_body == 4096
    assert loaded.settings.allow_addresses == (ip_network("10.0.0.0/8"), ip_network("::1/128"))
    assert loaded.settings.contact == "file"  # an empty variable counts as absent
    sources = {row.field: row.source for row in loaded.rows}
    assert (sources["name"], sources["max_body"], sources["data"]) == ("environment", str(file), "default")


def test_each_row_has_a_variable_a_value_and_a_meaning() -> None:
    rows = load({}).rows
    assert [row.variable for row in rows] == [variable(item.name) for item in fields(Settings)]
    assert all(row.value and row.meaning.endswith(".") for row in rows)


def test_no_password_is_shown() -> None:
    url = "postgresql://town:s3cr:e@t@db/town?host=/run&sslpassword=s3cret2"
    row = next(row for row in load({"PRIVAPUB_DATABASE_URL": url}).rows if row.field == "database_url")
    assert row.value == "postgresql://town:***@db/town?host=/run&sslpassword=***"
    assert "s3cr" not in sentence({"PRIVAPUB_DATABASE_URL": "mysql://town:s3cret@db/town"})


@given(st.text("abc:@/%?&=", min_size=1, max_size=12))
def test_masking_hides_any_password(password: str) -> None:
    marked = f"S3CRET{password}"
    assert "S3CRET" not in masked(f"postgresql://user:{marked}@host/name")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PRIVAPUB_DATABSE_URL", "PRIVAPUB_DATABASE_URL"),
        ("PRIVAPUB_BASEURL", "PRIVAPUB_BASE_URL"),
        ("PRIVAPUB_DELIVERY_AT_ONCE", "PRIVAPUB_DELIVERIES_AT_ONCE"),
        ("PRIVAPUB_CONFG", "PRIVAPUB_CONFIG"),
    ],
)
def test_an_unknown_variable_is_refused_and_the_nearest_is_proposed(name: str, nearest: str) -> None:
    assert sentence({name: "x"}) == f"{name} is no setting. Did you mean {nearest}?"


def test_names_that_are_known_and_no_settings_are_let_through() -> None:
    known = {"PRIVAPUB_CASES": "/x", "PRIVAPUB_TEST_SHARED": "/y", "PRIVAPUB_CONFIG": "", "PATH": "/bin"}
    assert load(known).settings == Settings()


def test_an_unknown_key_is_refused_and_the_nearest_is_proposed(tmp_path: Path) -> None:
    file = tmp_path / "privapub.toml"
    file.write_text('base-url = "https://a.example"\n')
    assert sentence({"PRIVAPUB_CONFIG": str(file)}) == (f"base-url in {file} is no setting. Did you mean base_url?")


def test_a_switch_is_on_or_off_in_words_and_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "privapub.toml"
    for text, is_on in (("true", True), ("false", False), ('"on"', True), ('"off"', False)):
        file.write_text(f"secure_mode = {text}\n")
        loaded = load({"PRIVAPUB_CONFIG": str(file)})
        assert loaded.settings.secure_mode is is_on
        assert {row.value for row in loaded.rows if row.field == "secure_mode"} == {"on" if is_on else "off"}
    assert load({"PRIVAPUB_CONFIG": str(file), "PRIVAPUB_SECURE_MODE": "yes"}).settings.secure_mode
    assert "it must be on or off" in sentence({"PRIVAPUB_SECURE_MODE": "maybe"})


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    absent = tmp_path / "absent.toml"
    assert str(absent) in sentence({"PRIVAPUB_CONFIG": str(absent)})
    broken = tmp_path / "broken.toml"
    broken.write_text("name = \n")
    assert "is not TOML" in sentence({"PRIVAPUB_CONFIG": str(broken)})
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in sentence({"PRIVAPUB_CONFIG": str(binary)})
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("max_body = true\n")
    assert f"max_body in {wrong} is True: it must be a whole number" in sentence({"PRIVAPUB_CONFIG": str(wrong)})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATA", "/srv/what?"),
        ("DATABASE_URL", "town"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "postgresql+asyncpg://db/town"),
        ("LISTEN", "8000"),
        ("LISTEN", ":8000"),
        ("LISTEN", "localhost:"),
        ("LISTEN", "localhost:0"),
        ("LISTEN", "localhost:65536"),
        ("LISTEN", "::1:8000"),
        ("BASE_URL", "social.example"),
        ("BASE_URL", "ftp://social.example"),
        ("BASE_URL", "https://social.example/path"),
        ("BASE_URL", "https://social.example?x"),
        ("BASE_URL", "https://me@social.example"),
        ("BASE_URL", "https://söcial.example"),
        ("BASE_URL", "https://social.example:99999"),
        ("BASE_URL", "https://so cial.example"),
        ("HANDLE_DOMAIN", "https://example"),
        ("HANDLE_DOMAIN", "-example"),
        ("ALLOW_ADDRESSES", "localhost"),
        ("ALLOW_ADDRESSES", "10.0.0.5/8"),
        ("NAME", "x" * 101),
        ("DESCRIPTION", "two\nlines"),
        ("DELIVERIES_AT_ONCE", "0"),
        ("DELIVERIES_AT_ONCE", "many"),
        ("DELIVERIES_PER_HOST", "51"),
        ("MAX_BODY", "1"),
        ("SIGNATURE_AHEAD", "-1"),
        ("FETCH_TIMEOUT", "1.5"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("REGISTRATIONS", "maybe"),
        ("SMTP_URL", "https://mail.example?from=a@b"),
        ("SMTP_URL", "smtp://mail.example"),
        ("SMTP_URL", "smtp://?from=a@b"),
        ("LANGUAGES", "deutsch"),
        ("LANGUAGES", ","),
    ],
)
def test_a_bad_value_gets_one_sentence_with_the_name_the_value_and_what_is_allowed(name: str, value: str) -> None:
    allowed = next(item for item in fields(Settings) if item.name == name.lower()).metadata["allowed"]
    assert sentence({f"PRIVAPUB_{name}": value}).strip() == f"PRIVAPUB_{name} is {value!r}: it must be {allowed}."


def test_the_keys_of_a_store_are_masked() -> None:
    url = "s3://bucket/town?endpoint=https://s3.test&access_key_id=S3CRET&secret_access_key=S3CRET&region=x"
    assert masked(url) == "s3://bucket/town?endpoint=https://s3.test&access_key_id=***&secret_access_key=***&region=x"
    settings = load({"PRIVAPUB_STORAGE_URL": url})
    assert not any("S3CRET" in row.value for row in settings.rows)
    with pytest.raises(OperatorError) as refused:
        load({"PRIVAPUB_STORAGE_URL": "gs://bucket?secret_access_key=S3CRET"})
    assert "S3CRET" not in str(refused.value)
