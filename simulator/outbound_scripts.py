# ruff: noqa: E501 - a turn of a script stays on one line.
"""Scripts of outbound calls. `simulator/scripts.py` describes the format."""

from __future__ import annotations

from dryline.simulator.scripts import script

REMINDER = script(
    "reminder",
    "appointment_reminder",
    "contact confirms the appointment",
    """
    S {name} was called about an appointment; nothing was confirmed.
    A Hello, this is {agent} from {business}. Am I speaking with {name}? | Hi, is this {name}? It's {agent} calling from {business}.
    U Yes, speaking. | Yes, that's me.
    A I'm calling to remind you of your appointment on {day} at {time}. Can you make it? | You have {service_said} with us on {day} at {time}. Does that still work?
    S {name} was reminded of the appointment on {day} at {time}; it was not confirmed.
    = confirmed done
    S {name} confirmed the appointment on {day} at {time}.
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
    "contact knows the delivery time",
    """
    S {name} was called about a delivery.
    A Hello {first}, this is {agent} from {business} about your order {order}. Do you have a minute? | Hi, {agent} from {business}. I'm calling {name} about order {order}.
    U Sure, what is it? | Yes, go ahead.
    A Your {product} will be delivered on {day} by {time}. Will somebody be at home? | We'd like to bring your {product} on {day}, before {time}. Is that all right?
    = delivery done
    S {name} knows that order {order} comes on {day} by {time}.
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
    "contact has named a date",
    """
    S {name} was called about an open bill; nothing was promised.
    A Good day, this is {agent} from {business}. May I speak with {name}? | Hello, am I speaking with {name}? This is {agent} from {business}.
    U That's me. | Speaking. What is this about?
    A A friendly reminder: ${amount} on your account {account} is past due. When could you take care of it? | Your last bill of ${amount} is still open. Is there a day on which you can pay it?
    S {name} was reminded of the open ${amount}; nothing was promised.
    = promised done
    S {name} promised to pay the open ${amount} by {day}.
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
    "contact has given a rating",
    """
    S {name} was called for a survey; no rating was given.
    A Hi, this is {agent} from {business}. You had a support case with us, {case}. May I ask two short questions? | Hello {first}, {agent} from {business}. Could you spare a minute about your support case {case}?
    U Sure. | If it's quick.
    A On a scale from one to ten, how happy were you with the solution?
    = rated done
    S {name} rated support case {case} {rating} of 10.
    U {rating}. | I'd say {rating}.
    A Thank you. And what is the main reason for that?
    S {name} rated support case {case} {rating} of 10: "{verdict}."
    U {verdict}.
    T save_rating
    A That's very helpful. Thank you for your time, {first}. | Noted. Thanks, {first}, have a good day!
    U Bye. | You too.
    """,
)

VOICEMAIL = script(
    "voicemail",
    "left_voicemail",
    "voicemail detected",
    """
    U Hi, you've reached {first}. I can't take your call right now, please leave a message after the tone. | You have reached the voicemail box of {phone_said}. Please record your message after the beep.
    T detect_voicemail
    = voicemail
    S Reached the voicemail of {name} and left a message.
    A Hello {first}, this is {agent} from {business}. I'm calling about your {subject}. Please call us back at {line_said}. Thank you! | Hi {first}, {agent} from {business} here, about your {subject}. You can reach us at {line_said}. Goodbye.
    """,
)
