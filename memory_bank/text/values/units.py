"""Units of measure: the dimension each belongs to, and its factor to that dimension's base unit."""

from __future__ import annotations

UNITS: dict[str, tuple[str, float]] = {}
"""By each name of a unit: its dimension, and how many of the dimension's base unit it is. `_add` below fills it."""


POUND = "pound"
"""The dimension of "pounds", which are money or a weight: it is comparable with either."""
POUND_AS = {"GBP": 1.0, "mass": 0.45359237}
"""What a pound is in the base unit of each."""

MONEY = frozenset({"USD", "EUR", "GBP", "CNY", "JPY", POUND})


def _add(dimension: str, factor: float, names: str) -> None:
    for name in names.split("|"):
        UNITS[name] = (dimension, factor)


_add("length", 1000.0, "km|kilometre|kilometer|kilometres|kilometers|公里|千米")
_add("length", 1.0, "m|metre|meter|metres|meters|米")
_add("length", 0.01, "cm|centimetre|centimeter|centimetres|centimeters|厘米")
_add("length", 0.001, "mm|millimetre|millimeter|millimetres|millimeters|毫米")
_add("length", 1609.344, "mi|mile|miles|英里")
_add("length", 1852.0, "nmi|nautical mile|nautical miles|海里")
_add("length", 0.9144, "yd|yard|yards")
_add("length", 0.3048, "ft|foot|feet|英尺")
_add("length", 0.0254, "in|inch|inches|英寸")
_add(
    "area",
    1e6,
    "km2|km 2|sq km|square kilometre|square kilometer|square kilometres|square kilometers|平方公里|平方千米",
)
_add("area", 1.0, "m2|m 2|sq m|square metre|square meter|square metres|square meters|平方米")
_add("area", 2589988.11, "sq mi|square mile|square miles|平方英里")
_add("area", 0.09290304, "sq ft|square foot|square feet")
_add("area", 4046.8564, "acre|acres|英亩")
_add("area", 2000 / 3, "亩")
_add("area", 10000.0, "ha|hectare|hectares|公顷")
_add("mass", 1.0, "kg|kilogram|kilograms|kilogramme|kilogrammes|kilo|kilos|公斤|千克")
_add("mass", 0.001, "g|gram|grams|gramme|grammes|克")
_add("mass", 1000.0, "t|tonne|tonnes|metric ton|metric tons|吨")
_add("mass", 907.18474, "short ton|short tons")
_add("mass", 0.45359237, "lb|lbs|磅")
_add("mass", 0.028349523, "oz|ounce|ounces")
_add("volume", 1.0, "l|L|litre|liter|litres|liters|升")
_add("volume", 0.001, "ml|mL|millilitre|milliliter|millilitres|milliliters|毫升")
_add("volume", 1000.0, "m3|cubic metre|cubic meter|cubic metres|cubic meters|立方米")
_add("volume", 3.785411784, "gal|gallon|gallons|US gallons")
_add("speed", 1.0, "km/h|kmh|kph|kilometres per hour|kilometers per hour|公里/小时|千米/小时|公里每小时|千米每小时")
_add("speed", 1.609344, "mph|miles per hour")
_add("speed", 3.6, "m/s|metres per second|meters per second|米/秒|米每秒")
_add("speed", 1.852, "knots|knot|kn")
_add("power", 1.0, "W|watt|watts|瓦")
_add("power", 1e3, "kW|kilowatt|kilowatts|千瓦")
_add("power", 1e6, "MW|megawatt|megawatts|兆瓦")
_add("power", 1e9, "GW|gigawatt|gigawatts|吉瓦")
_add("power", 745.69987, "hp|horsepower|bhp")
_add("data", 1.0, "bytes|byte")
_add("data", 1e3, "kB|KB|kilobyte|kilobytes")
_add("data", 1e6, "MB|megabyte|megabytes")
_add("data", 1e9, "GB|gigabyte|gigabytes")
_add("data", 1e12, "TB|terabyte|terabytes")
_add("percent", 1.0, "%|％|percent|per cent|pct")
_add("duration", 1.0, "second|seconds|sec|secs|秒")
_add("duration", 60.0, "min|mins|minute|minutes|分钟")
_add("duration", 3600.0, "hr|hrs|hour|hours|小时")
_add("duration", 86400.0, "day|days|天")
_add("duration", 604800.0, "week|weeks|周")
_add("duration", 1209600.0, "fortnight|fortnights")
_add("duration", 2629746.0, "month|months|个月")
_add("duration", 31556952.0, "year|years|yr|yrs|年")
_add("USD", 1.0, "dollars|dollar|US dollars|USD|美元")
_add("EUR", 1.0, "euro|euros|EUR|€|Euro|欧元")
_add(POUND, 1.0, "pound|pounds")
_add("GBP", 1.0, "GBP|pounds sterling|英镑")
_add("CNY", 1.0, "yuan|CNY|RMB|元|人民币")
_add("JPY", 1.0, "yen|JPY|日元")
_add("density", 1.0, "per square kilometre|per square kilometer|/km2|/km 2|per km2")
_add("density", 1 / 2.58998811, "per square mile|/sq mi|/square mile|per sq mi")
_add("temperature", 1.0, "°C|° C|degrees Celsius|degrees centigrade|℃|摄氏度")
_add("fahrenheit", 1.0, "°F|° F|degrees Fahrenheit|℉|华氏度")
_add("kelvin", 1.0, " K|kelvin|kelvins")
