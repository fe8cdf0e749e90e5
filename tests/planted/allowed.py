"""What exiftool may say of a file that we made: the list, and what goes beyond it."""

from typing import Any

# By group: sizes, colour types, and what its format cannot be without.
ALLOWED = {
    # Of the file on this disk, of exiftool itself, and what it reckons out of the rest.
    "ExifTool": {"ExifToolVersion"},
    "System": {
        "FileName", "Directory", "FileSize", "FileModifyDate", "FileAccessDate", "FileInodeChangeDate",
        "FilePermissions",
    },
    "Composite": {"ImageSize", "Megapixels", "AvgBitrate", "Rotation"},
    # What kind of file it is, its size, and how its pixels are encoded.
    "File": {
        "FileType", "FileTypeExtension", "MIMEType", "ImageWidth", "ImageHeight", "EncodingProcess", "BitsPerSample",
        "ColorComponents", "YCbCrSubSampling",
    },
    # Every JPEG begins so; the resolution is a fixed one.
    "JFIF": {"JFIFVersion", "ResolutionUnit", "XResolution", "YResolution"},
    # WebP: the size, the way of encoding, whether something shines through, and how an animation goes.
    "RIFF": {
        "VP8Version", "ImageWidth", "ImageHeight", "HorizontalScale", "VerticalScale", "WebP_Flags", "AlphaIsUsed",
        "AlphaPreprocessing", "AlphaFiltering", "AlphaCompression", "BackgroundColor", "AnimationLoopCount",
        "FrameCount", "Duration",
    },
}  # fmt: skip
# What exiftool may say of a film or a sound: sizes, colours, codecs, and the fields that every file of them has.
_OF_FILMS = {
    "MajorBrand", "MinorVersion", "CompatibleBrands", "MovieHeaderVersion", "TimeScale", "Duration",
    "PreferredRate", "PreferredVolume", "MatrixStructure", "NextTrackID", "HandlerType", "MediaDataSize",
    "MediaDataOffset", "TrackHeaderVersion", "TrackID", "TrackDuration", "TrackLayer", "TrackVolume", "ImageWidth",
    "ImageHeight", "MediaHeaderVersion", "MediaTimeScale", "MediaDuration", "GraphicsMode", "OpColor",
    "CompressorID", "SourceImageWidth", "SourceImageHeight", "XResolution", "YResolution", "BitDepth",
    "PixelAspectRatio", "BufferSize", "MaxBitrate", "AverageBitrate", "VideoFrameRate", "Balance", "AudioFormat",
    "AudioChannels", "AudioBitsPerSample", "AudioSampleRate", "ColorProfiles", "ColorPrimaries",
    "TransferCharacteristics", "MatrixCoefficients", "VideoFullRangeFlag",
    # The tables by which a player finds the samples, the parameters of the decoders, and the samples themselves.
    "AVCConfiguration", "ChunkOffset", "CompositionTimeToSample", "SampleGroupDescription", "SampleSizes",
    "SampleToChunk", "SampleToGroup", "SyncSampleTable", "TimeToSampleTable", "Unknown_btrt", "Unknown_edts",
    "Unknown_esds", "MediaData",
}  # fmt: skip
_EMPTY = {"0000:00:00 00:00:00", "", " ", "und", "0 s", "Apple"}  # the vendor's code is of the kind of the atom


def of_no_need(tags: dict[str, Any]) -> dict[str, Any]:
    """What exiftool says (with -G1) that need not be there."""
    return {name: value for name, value in tags.items() if not _needed(*name.rpartition(":")[::2], str(value))}


def _needed(group: str, tag: str, value: str) -> bool:
    if group == "QuickTime" or group.startswith("Track"):
        return tag in _OF_FILMS or value in _EMPTY
    return tag in ALLOWED.get(group, ())
