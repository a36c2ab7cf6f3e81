# ruff: noqa: E501 - a turn of a script stays on one line.
"""The conversations, as scripts: who says what, with slots for what differs from call to call.

A line is one turn: `A` the agent, `U` the caller, `T` a function that the engine calls. Texts behind ` | ` say the same
in other words. Lines marked `?` that stand together are one exchange that happens in about half of the conversations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

Turn = tuple[str, str]  # who, and what with the slots still open


@dataclass(frozen=True, slots=True)
class Script:
    """One business conversation. `summary` is what the analysis after it says."""

    name: str
    intent: str
    summary: str
    until: str  # the condition of the flow that ends it
    slots: frozenset[str]  # the facts that it tells
    blocks: tuple[tuple[bool, tuple[tuple[str, tuple[str, ...]], ...]], ...]

    def turns(self, rng: Random) -> list[Turn]:
        """One wording of it."""
        random = rng.random
        found = []
        for optional, lines in self.blocks:
            if optional and random() < 0.5:
                continue
            for who, texts in lines:
                found.append((who, texts[0] if len(texts) == 1 else texts[int(random() * len(texts))]))
        return found


def script(name: str, intent: str, summary: str, until: str, text: str) -> Script:
    """A script from its text."""
    blocks: list[tuple[bool, list[tuple[str, tuple[str, ...]]]]] = []
    for line in text.strip().splitlines():
        line = line.strip()
        optional = line.startswith("?")
        who, said = line.removeprefix("?").strip().split(" ", 1)
        if not blocks or blocks[-1][0] != optional:
            blocks.append((optional, []))
        blocks[-1][1].append((who, tuple(part.strip() for part in said.split(" | "))))
    frozen = tuple((optional, tuple(lines)) for optional, lines in blocks)
    return Script(name, intent, summary, until, frozenset(re.findall(r"{(\w+)}", text)), frozen)


BOOKING = script(
    "booking",
    "book_appointment",
    "{name} booked {service} for {day} at {time}.",
    "caller has agreed to a time",
    """
    U Hi, I'd like to book {service}, please. | Hello, could I come in for {service} some time this week? | I need {service}. Do you have anything soon?
    A Of course. May I have your full name? | Happy to help with that. What name should I put it under?
    U {name}. | It's {name}. | Sure, {name}.
    ? A Have you been with us before?
    ? U Yes, about a year ago. | No, this would be my first time.
    A Thank you, {first}. Is {phone} the best number to reach you? | And can I use {phone} as your contact number?
    U Yes, that's fine. | Yes, that one.
    T check_calendar
    A I have {day} at {time} or {other_day} at {other_time}. Which suits you better?
    U {day} at {time} works. | Let's take {day}, {time}. | The first one, please.
    T book_appointment
    A You're booked for {service} on {day} at {time}. I'll send a confirmation to your phone. | All set: {service}, {day} at {time}. A confirmation is on its way.
    ? U Is there parking?
    ? A Yes, free for two hours right behind the building.
    A Is there anything else I can do for you?
    U No, that's everything. Thank you! | No thanks, bye.
    A See you {day}, {first}. Goodbye. | Thank you, {first}. Have a good day!
    """,
)

RESCHEDULE = script(
    "reschedule",
    "reschedule_appointment",
    "{name} moved an appointment from {other_day} to {day} at {time}.",
    "caller has agreed to a new time",
    """
    U I have an appointment on {other_day} and I can't make it. | Something came up, can I move my {other_day} appointment?
    A No problem. Could you tell me the name it's under? | Let me look that up. Who is the appointment for?
    U {name}.
    T find_appointment
    A I see it: {other_day} at {other_time}. When would you like to come instead? | Found it, {first}. Which day works better?
    U Do you have anything on {day}? | {day} would be better.
    T check_calendar
    A On {day} I can offer {time}. Would that work? | There is a free slot on {day} at {time}.
    ? U Nothing earlier?
    ? A I'm sorry, that is the first one that day.
    U Yes, that's good. | Okay, I'll take it.
    T move_appointment
    A Done. You are now down for {day} at {time}. | I've moved it to {day}, {time}. You'll get a text.
    U Great, thank you. | Thanks a lot, bye.
    A You're welcome, {first}. Goodbye!
    """,
)

ORDER_STATUS = script(
    "order_status",
    "order_status",
    "{name} asked about order {order}, which arrives {day}.",
    "caller knows where the order is",
    """
    U Hi, I ordered a {product} and I'm wondering where it is. | Can you tell me when my {product} will get here?
    A I can check that for you. What is the order number? | Sure. Do you have the order number at hand?
    U {order}. | It should be {order}. | Let me see... {order}.
    ? A Thanks. Just to be safe, what is the name on the order?
    ? U {name}.
    T get_order
    A Order {order} left our warehouse in {city} and is due on {day} by {time}. | It's on its way: the carrier has it and expects to deliver on {day}, before {time}.
    U Okay. Can it be left with a neighbour? | Will I get a tracking link?
    A Yes, I've sent the tracking link to {email}; you can set that there. | You can choose that in the tracking link I just sent to {email}.
    U Perfect, thank you. | Got it. Thanks for your help.
    A My pleasure. Is there anything else?
    U No, that's all. | Nope, bye.
    A Thanks for shopping with us, {first}. Goodbye!
    """,
)

RETURN = script(
    "return",
    "return_item",
    "{name} is sending a {product} back (order {order}); refund of ${amount}.",
    "return is registered",
    """
    U I'd like to return a {product}. | I got a {product} from you and want to send it back.
    A I'm sorry to hear that. May I have the order number? | Sorry about that. What's the order number, please?
    U {order}.
    T get_order
    A Thank you, {first}. What is the reason for the return? | I see the order. Could you tell me what is wrong with it?
    U It's the wrong size. | It arrived broken. | It's not what I expected from the pictures.
    A I understand. Would you like a refund or a replacement?
    U A refund, please. | Just the money back.
    T create_return
    A I've registered the return. ${amount} goes back to your card once we have it. | Done. You'll get ${amount} back within five days of its arrival.
    ? U How do I send it?
    ? A A prepaid label is in your inbox at {email}. Any parcel shop takes it.
    U Okay, thanks. | That was quick, thank you.
    A Thank you for your patience, {first}. Goodbye.
    """,
)

BILLING = script(
    "billing",
    "billing_question",
    "{name} asked why the bill rose to ${amount}; explained, plan kept.",
    "caller has no more questions about the bill",
    """
    U My bill is ${amount} this month. That's a lot more than usual. | I don't understand my last invoice, it says ${amount}.
    A Let me look at it with you. Can I have your account number? | I can explain that. What is the account number on the bill?
    U {account}. | It's {account}, under {name}.
    T get_invoices
    A Thank you, {first}. The difference is a one-time charge of ${fee} for {charge}. | I see it: ${fee} of it is for {charge}, which is billed once.
    U Nobody told me about that. | Oh, I forgot about that. | Hmm, will that come again?
    A It will not come again. From next month on it is back to ${usual}. | I'm sorry for the surprise. The next one will be ${usual} again.
    ? U Can I pay it in two parts?
    ? A Yes, I've split it: half now and half on {day}.
    U All right, thank you for explaining. | Okay, that makes sense now.
    A You're welcome. Shall I send a copy of the bill to {email}?
    U Yes, please. | No need.
    A All right. Have a good day, {first}!
    """,
)

PAYMENT = script(
    "payment",
    "make_payment",
    "{name} paid ${amount} on account {account} by phone.",
    "payment is confirmed",
    """
    U I want to pay my bill. | Hi, I got a notice that my payment is due.
    A I can take that right now. What's your account number?
    U {account}.
    T get_balance
    A Your open balance is ${amount}. Do you want to pay all of it? | There is ${amount} open. Shall I charge the full amount?
    U Yes, all of it. | Yes please.
    A Should I use the card on file ending in {card}?
    U Yes, that one. | That's right.
    T charge_card
    A Thank you. ${amount} is paid and your confirmation number is {order}. | That went through. Your confirmation is {order}.
    ? U Can you set up autopay too?
    ? A Done. From next month on it is charged on the first.
    U Great, bye. | Thanks, that's all.
    A Thank you, {first}. Goodbye!
    """,
)

SUPPORT = script(
    "support",
    "technical_support",
    "{name} had trouble: {problem}. Solved with {fix}.",
    "problem is solved",
    """
    U Hi, {problem}. | I need some help, {problem}.
    A I'm sorry about that. Let's fix it together. Since when does it happen? | That's annoying, let's look at it. When did it start?
    U Since this morning. | Since yesterday, I think. | Ever since the last update.
    ? A And is it the same on another device?
    ? U Yes, the same. | No, only on this one.
    T run_diagnostics
    A I ran a check and see the cause. Please try {fix} and tell me what happens. | From here it looks fine. Could you try {fix}?
    U Okay, one moment... | Hold on, let me try.
    U It works now! | Yes, it's back. | That did it.
    A Wonderful. I've noted case {order} in case it comes back. | Great to hear. Your case number is {order}, should you need it.
    U Thank you so much. | Thanks, you saved my day.
    A You're welcome, {first}. Goodbye!
    """,
)

PASSWORD = script(
    "password",
    "account_access",
    "{name} was locked out and got a reset link at {email}.",
    "caller can log in again",
    """
    U I can't log in to my account. | I'm locked out, it says too many attempts.
    A I can help you get back in. What is the e-mail address of the account?
    U {email}. | It's {email}.
    T find_account
    A Thank you. For safety, what is your city? | And to verify you, which city do you live in?
    U {city}.
    T send_reset_link
    A Thanks, {first}. I've sent a reset link to {email}; it is valid for an hour. | Verified. A link to set a new password is in your inbox.
    U I have it. Okay, it lets me in. | Got it, thank you.
    ? A Do you want to turn on two-step login as well?
    ? U Maybe later. | Good idea, I'll do that.
    A Glad that worked. Goodbye, {first}.
    """,
)

HOURS = script(
    "hours",
    "opening_hours",
    "{name} asked for opening hours and the address.",
    "caller's question is answered",
    """
    U What time are you open on {day}? | Are you open on {day}?
    A On {day} we are open from nine to {closing}. | Yes, on {day} from nine until {closing}.
    ? U And where exactly are you?
    ? A We're at {street} in {city}, next to the library.
    U Great, that's all I needed. | Thank you, bye.
    A Thank you for your call. Goodbye! | You're welcome, see you soon.
    """,
)

TRANSFER = script(
    "support_with_transfer",
    "speak_to_human",
    "{name} wanted a person: {complaint}. Transferred to {desk}.",
    "caller asks for a person",
    """
    U {complaint}. | Hello. {complaint}.
    A I'm sorry to hear that. Could I have your name and {reference}? | I understand, and I want to get this right. What's your name and {reference}?
    U {name}, {order}. | It's {name}. The number is {order}.
    T find_customer
    A Thank you, {first}. I can see what happened. I could open a case for you right away. | Thanks. I have your file here. Shall I try to sort it out for you?
    U No, I'd rather talk to a person. | This is the third time I'm calling. Please get me a human.
    ? A I understand. Is {phone} right, in case we get cut off?
    ? U Yes.
    T transfer_call
    A Of course. I'm connecting you with {desk} now, please stay on the line. | I'm transferring you to {desk}. One moment, please.
    """,
)

REMINDER = script(
    "reminder",
    "appointment_reminder",
    "{name} confirmed the appointment on {day} at {time}.",
    "contact has confirmed",
    """
    A Hello, this is {agent} from {business}. Am I speaking with {name}? | Hi, is this {name}? It's {agent} calling from {business}.
    U Yes, speaking. | Yes, that's me.
    A I'm calling to remind you of your appointment on {day} at {time}. Can you make it? | You have {service} with us on {day} at {time}. Does that still work?
    U Yes, I'll be there. | Yes, it's in my calendar.
    T confirm_appointment
    ? A Please bring your insurance card.
    ? U Will do.
    A Wonderful, I've confirmed it. See you on {day}, {first}! | Great, thank you. Goodbye, {first}.
    U Bye. | Thanks, bye bye.
    """,
)

DELIVERY = script(
    "delivery",
    "delivery_notice",
    "{name} was told that order {order} comes on {day} by {time}.",
    "contact knows the delivery time",
    """
    A Hello {first}, this is {agent} from {business} about your order {order}. Do you have a minute? | Hi, {agent} from {business}. I'm calling {name} about order {order}.
    U Sure, what is it? | Yes, go ahead.
    A Your {product} will be delivered on {day} by {time}. Will somebody be at home? | We'd like to bring your {product} on {day}, before {time}. Is that all right?
    U Yes, that works. | My neighbour can take it.
    T update_delivery
    A Perfect, I've told the driver. | Thank you, I've written that down for the driver.
    ? U Can he call ahead?
    ? A Of course, ten minutes before he arrives.
    U Thanks for the call. | Okay, bye.
    A Thank you, {first}. Goodbye.
    """,
)

DUNNING = script(
    "payment_reminder",
    "payment_reminder",
    "{name} promised to pay the open ${amount} by {day}.",
    "contact has named a date",
    """
    A Good day, this is {agent} from {business}. May I speak with {name}? | Hello, am I speaking with {name}? This is {agent} from {business}.
    U That's me. | Speaking. What is this about?
    A A friendly reminder: ${amount} on your account {account} is past due. When could you take care of it? | Your last bill of ${amount} is still open. Is there a day on which you can pay it?
    U Oh, I forgot. I can pay on {day}. | I get paid soon. By {day}?
    T note_promise
    A Thank you. I've noted {day}, no fee will be added. | That works, I've put it down for {day}.
    ? U Can I do that online?
    ? A Yes, the link is on its way to {email}.
    U All right. | Okay, thanks.
    A Have a good day, {first}. Goodbye.
    """,
)

SURVEY = script(
    "survey",
    "satisfaction_survey",
    "{name} rated the last support case {rating} of 10.",
    "contact has given a rating",
    """
    A Hi, this is {agent} from {business}. You had a support case with us, {order}. May I ask two short questions? | Hello {first}, {agent} from {business}. Could you spare a minute about your last support case?
    U Sure. | If it's quick.
    A On a scale from one to ten, how happy were you with the solution?
    U {rating}. | I'd say {rating}.
    A Thank you. What could we do better? | And what is the main reason for that?
    U It took a while to get through. | It was all fine, really. | Longer opening hours would help.
    T save_rating
    A That's very helpful. Thank you for your time, {first}. | Noted. Thanks, {first}, have a good day!
    U Bye. | You too.
    """,
)

VOICEMAIL = script(
    "voicemail",
    "left_voicemail",
    "Reached the voicemail of {name} and left a message about {subject}.",
    "voicemail detected",
    """
    U Hi, you've reached {first}. I can't take your call right now, please leave a message after the tone. | You have reached the voicemail box of {phone}. Please record your message after the beep.
    T detect_voicemail
    A Hello {first}, this is {agent} from {business}. I'm calling about {subject}. Please call us back at {line}. Thank you! | Hi {first}, {agent} from {business} here, about {subject}. You can reach us at {line}. Goodbye.
    """,
)

MESSAGE = script(
    "message_left",
    "left_voicemail",
    "{name} called outside of hours and left a message about {subject}.",
    "caller has left a message",
    """
    A You have reached {business}. We are closed right now. Please leave your name and number after the tone. | Thank you for calling {business}. Nobody can take your call, please leave a message.
    U Hi, this is {name}, it's about {subject}. Please call me back at {phone}. Thanks. | Hello, {name} here. I have a question about {subject}. My number is {phone}.
    """,
)
