"""A chat over several days, for tests: who said what, and when."""

from __future__ import annotations

from datetime import datetime, timedelta

_DAYS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "2023-03-04 09:10",
        (
            ("Ada", "Morning Bob, did you sleep well in the new flat?"),
            ("Bob", "Not really, the heating rattled all night."),
            ("Ada", "The boiler is from 1994, the landlord told me when we moved in."),
            ("Bob", "Can he send somebody to look at it?"),
            ("Ada", "He said he would call a plumber named Ruth Keller."),
            ("Cem", "I can lend you my oil radiator for the time being."),
            ("Bob", "That would be great, thank you Cem."),
            ("Cem", "I will bring it over after work."),
        ),
    ),
    (
        "2023-04-11 18:30",
        (
            ("Cem", "Who is coming to the film festival on Saturday?"),
            ("Ada", "I am, I bought two tickets for the Iranian comedy."),
            ("Bob", "I have to work that evening, sorry."),
            ("Cem", "Then I take the second ticket, if that is fine."),
            ("Ada", "Of course, meet me at the Lumen cinema at half past seven."),
            ("Bob", "Tell me afterwards whether it was any good."),
            ("Ada", "By the way, my sister Nora has her baby."),
            ("Cem", "Congratulations! What is the name of the child?"),
            ("Ada", "Ilse."),
            ("Bob", "A lovely name, say hello to Nora from me."),
        ),
    ),
    (
        "2023-05-08 13:56",
        (
            ("Ada", "Bad news, the boiler stopped working this morning and there is no hot water."),
            ("Bob", "Oh no, did you call Ruth Keller?"),
            ("Ada", "Yes, she says the boiler needs a new pump for 340 euros."),
            ("Bob", "I think that is far too expensive."),
            ("Cem", "I think it is a fair price for a pump."),
            ("Ada", "The landlord has to pay for it anyway."),
            ("Bob", "When does she come?"),
            ("Ada", "On Thursday at nine in the morning."),
            ("Cem", "You can shower at my place until then."),
            ("Bob", "You are a star, Cem."),
        ),
    ),
    (
        "2023-05-12 20:05",
        (
            ("Ada", "The pump was changed yesterday and we have hot water again."),
            ("Bob", "Finally! I took a bath for an hour."),
            ("Cem", "And the rattling in the pipes?"),
            ("Ada", "Gone as well."),
            ("Bob", "Shall we plan the trip to the coast?"),
            ("Ada", "Yes, I would like to go to Skagen in July."),
            ("Cem", "I have never been to Denmark, count me in."),
            ("Bob", "I can drive, my car has five seats."),
        ),
    ),
    (
        "2023-07-23 21:40",
        (
            ("Bob", "Back home, my legs hurt from all the cycling."),
            ("Ada", "The lighthouse in Skagen was my favourite place."),
            ("Cem", "Mine was the fish soup at the harbour."),
            ("Bob", "I lost my blue scarf somewhere on the ferry."),
            ("Ada", "I will ask the ferry company whether somebody found it."),
            ("Cem", "How many photos did you take, Ada?"),
            ("Ada", "812 photos."),
            ("Bob", "Nobody will ever look at them."),
            ("Ada", "I do not care, I am making an album."),
        ),
    ),
    (
        "2023-09-15 08:15",
        (
            ("Ada", "The ferry company wrote, they have your scarf in Frederikshavn."),
            ("Bob", "Unbelievable, how do I get it back?"),
            ("Ada", "They send it by post for 9 euros."),
            ("Cem", "I started my new job at the observatory on Monday."),
            ("Ada", "How is it?"),
            ("Cem", "The telescope is older than I am, but the people are kind."),
            ("Bob", "What do you do there?"),
            ("Cem", "I write the software that points the mirror."),
        ),
    ),
    (
        "2023-10-02 19:00",
        (
            ("Bob", "The boiler rattles again, I am afraid."),
            ("Ada", "Then we ask the landlord for a new one this time."),
            ("Cem", "A heat pump would be better."),
            ("Bob", "I think so too."),
            ("Ada", "I like the old boiler, it has character."),
            ("Bob", "You are joking."),
            ("Ada", "A little."),
        ),
    ),
)  # fmt: skip

MESSAGES = tuple(
    (speaker, text, datetime.fromisoformat(start) + timedelta(minutes=number))
    for start, said in _DAYS
    for number, (speaker, text) in enumerate(said)
)
"""Speaker, words and time of each message, in order."""

CHAT = "\n".join(f"[{at:%Y-%m-%d %H:%M}] {speaker}: {text}" for speaker, text, at in MESSAGES) + "\n"
"""The same as a plain text."""
