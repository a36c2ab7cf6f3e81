"""The telephone numbering plan, as far as it matters here: one form for every notation, and a number's country."""

import re

# Calling code and ISO country; the longest code that fits counts.
_CALLING_CODES = """
1 US 7 RU 20 EG 27 ZA 30 GR 31 NL 32 BE 33 FR 34 ES 36 HU 39 IT 40 RO 41 CH 43 AT 44 GB 45 DK 46 SE 47 NO 48 PL 49 DE
51 PE 52 MX 54 AR 55 BR 56 CL 57 CO 60 MY 61 AU 62 ID 63 PH 64 NZ 65 SG 66 TH 81 JP 82 KR 84 VN 86 CN 90 TR 91 IN
92 PK 94 LK 212 MA 213 DZ 216 TN 233 GH 234 NG 254 KE 351 PT 352 LU 353 IE 354 IS 356 MT 357 CY 358 FI 359 BG 370 LT
371 LV 372 EE 380 UA 381 RS 385 HR 386 SI 420 CZ 421 SK 506 CR 507 PA 593 EC 598 UY 852 HK 880 BD 886 TW 961 LB
962 JO 966 SA 971 AE 972 IL
"""
# Area codes below +1 that are Canadian. Those of the Caribbean count as American here.
_CANADIAN = """
204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 403 416 418 428 431 437 438 450 468 474 506 514 519 548
579 581 584 587 604 613 639 647 672 683 705 709 742 753 778 780 782 807 819 825 867 873 879 902 905 942
"""
_words = _CALLING_CODES.split()
COUNTRIES = dict(zip(_words[::2], _words[1::2], strict=True))
CANADIAN_AREAS = frozenset(_CANADIAN.split())


def e164(text: str) -> str | None:
    """Return the number in the form `+14155550100`, or None when the text is no telephone number.

    Takes any notation: spaces, dashes, dots, brackets, a leading `tel:` or `00`, an extension. Ten digits without a
    country are North American (assumed: the vendor's home market). What has
    fewer than seven digits cannot be called.
    """
    if len(text) > 64:
        return None
    match = re.match(r"\s*(?:tel:|whatsapp:)?\s*(\+|00)?([\d\s().\-/]+?)\s*(?:(?:;?ext?\.?=?|x|,|#).*)?$", text, re.I)
    if match is None:
        return None
    # The bracketed zero of "+44 (0)20" is dialled inside the country only.
    digits = re.sub(r"\D", "", match[2].replace("(0)", "") if match[1] else match[2])
    if not digits.isascii() or digits.startswith("0") or not 7 <= len(digits) <= 15:
        return None
    if not match[1] and len(digits) == 10:
        digits = "1" + digits
    return "+" + digits


def country_of(number: str) -> str | None:
    """Return the ISO country of a number in E.164 form, or None when its calling code is not known here."""
    digits = number.removeprefix("+")
    if digits.startswith("1") and digits[1:4] in CANADIAN_AREAS:
        return "CA"
    return next((COUNTRIES[digits[:length]] for length in (3, 2, 1) if digits[:length] in COUNTRIES), None)
