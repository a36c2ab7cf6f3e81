# ruff: noqa: E501 - a turn of a script stays on one line.
"""Scripts of inbound calls, without the agent's greeting. `simulator/scripts.py` describes the format."""

from __future__ import annotations

from dryline.simulator.scripts import Script, script

BOOKING = script(
    "booking",
    "book_appointment",
    "caller agrees to the time",
    """
    U Hi, I'd like to book {service_said}, please. | Hello, could I come in for {service_said} some time soon? | I need {service_said}. What do you have free?
    S A caller asked for {service_said}; no time was agreed on.
    A Of course. May I have your full name? | Happy to help with that. What name should I put it under?
    U {name}. | It's {name}. | Sure, {name}.
    S {name} asked for {service_said}; no time was agreed on.
    ? A Have you been with us before?
    ? U Yes, about a year ago. | No, this would be my first time.
    A Thank you, {first}. Is {phone_said} the best number to reach you? | And can I use {phone_said} as your contact number?
    U Yes, that's fine. | Yes, that one.
    T check_calendar
    A I have {day} at {time} or {other_day} at {other_time}. Which suits you better?
    S {name} asked for {service_said} and was offered {day} at {time} or {other_day} at {other_time}; nothing was booked.
    = booked done
    S {name} booked {service_said} for {day} at {time}.
    U {day} at {time} works. | Let's take {day}, {time}. | The first one, please.
    T book_appointment
    A You're booked for {service_said} on {day} at {time}. I'll send a confirmation to your phone. | All set: {service_said}, {day} at {time}. A confirmation is on its way.
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
    "caller agrees to the new time",
    """
    U I have an appointment on {other_day} and I can't make it. | Something came up, can I move my {other_day} appointment?
    S A caller wanted to move an appointment on {other_day}; it was not moved.
    A No problem. Could you tell me the name it's under? | Let me look that up. Who is the appointment for?
    U {name}. | It's under {name}.
    S {name} wanted to move an appointment on {other_day}; it was not moved.
    T find_appointment
    = found
    A I see it: {other_day} at {other_time}. When would you like to come instead? | Found it, {first}: {other_day} at {other_time}. Which day works better?
    U Do you have anything on {day}? | {day} would be better.
    T check_calendar
    A On {day} I can offer {time}. Would that work? | There is a free slot on {day} at {time}.
    ? U Nothing earlier?
    ? A I'm sorry, everything before that is taken.
    = moved done
    S {name} moved an appointment from {other_day} to {day} at {time}.
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
    "caller knows where the order is",
    """
    U Hi, I ordered a {product} and I'm wondering where it is. | Can you tell me when my {product} will get here?
    S A caller asked where a {product} is.
    A I can check that for you. What is the order number? | Sure. Do you have the order number at hand?
    U {order}. | It should be {order}. | Let me see... {order}.
    S A caller asked where a {product} is (order {order}).
    ? A Thanks. Just to be safe, what is the name on the order?
    ? U {name}. | It's on {name}.
    T get_order
    = found done
    S A caller asked about a {product} (order {order}), which arrives on {day} by {time}.
    A Order {order} left our warehouse in {warehouse} and is due on {day} by {time}. | It's on its way: the carrier has it and expects to deliver on {day}, before {time}.
    U Okay. Can it be left with a neighbour? | Will I get a tracking link?
    A Yes, I've sent the tracking link to {email}; you can set that there. | You can choose that in the tracking link I just sent to {email}.
    U Perfect, thank you. | Got it. Thanks for your help.
    A My pleasure. Is there anything else?
    U No, that's all. | Nope, bye.
    A Thanks for shopping with us. Goodbye!
    """,
)

RETURN = script(
    "return",
    "return_item",
    "caller wants a refund",
    """
    U I'd like to return a {product}. | I got a {product} from you and want to send it back.
    S A caller wanted to send a {product} back; no return was registered.
    A I'm sorry to hear that. May I have the order number? | Sorry about that. What's the order number, please?
    U {order}. | That's {order}.
    S A caller wanted to send a {product} back (order {order}); no return was registered.
    T get_order
    = found
    A Thank you, {first}. What is the reason for the return? | I see the order, {first}. Could you tell me what is wrong with it?
    U {flaw}.
    A I understand. Would you like a refund or a replacement?
    U A refund, please. | Just the money back.
    T create_return
    = returned done
    S {first} sends a {product} back (order {order}); ${amount} will be refunded.
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
    "caller has no more questions about the bill",
    """
    U My bill is ${amount} this month. That's a lot more than usual. | I don't understand my last invoice, it says ${amount}.
    S A caller asked why the bill is ${amount}; it was not explained.
    A Let me look at it with you. Can I have your account number and your name? | I can explain that. What is the account number on the bill, and your name please?
    U {account}, {name}. | It's {account}, under {name}.
    S {name} asked why the bill is ${amount}; it was not explained.
    T get_invoices
    = found explained
    A Thank you, {first}. The difference is a one-time charge of ${fee} for {charge}. | I see it, {first}: ${fee} of it is for {charge}, which is billed once.
    U Nobody told me about that. Will it come again? | Oh, I forgot about that. And next month? | Hmm, will that come again?
    S {name} asked why the bill is ${amount}: ${fee} of it is for {charge}.
    = done answered
    A It will not come again. From next month on it is back to ${usual}. | I'm sorry for the surprise. The next one will be ${usual} again.
    ? U Can I pay it in two parts?
    ? = instalments
    ? S {name} asked why the bill is ${amount}: ${fee} of it is for {charge}. It is paid in two parts.
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
    "caller agrees to the payment",
    """
    U I want to pay my bill. | Hi, I got a notice that my payment is due.
    S A caller wanted to pay a bill; nothing was paid.
    A I can take that right now. What's your account number?
    U {account}. | It's {account}.
    S A caller wanted to pay the bill of account {account}; nothing was paid.
    T get_balance
    = found
    A Thank you, {first}. Your open balance is ${amount}. Do you want to pay all of it? | There is ${amount} open, {first}. Shall I charge the full amount?
    S {first} wanted to pay ${amount} on account {account}; nothing was paid.
    U Yes, all of it. | Yes please.
    A Should I use the card on file ending in {card}?
    U Yes, that one. | That's right.
    T charge_card
    = paid done
    S {first} paid ${amount} on account {account} by phone.
    A Thank you. ${amount} is paid and your confirmation number is {confirmation}. | That went through. Your confirmation is {confirmation}.
    ? U Can you set up autopay too?
    ? A Done. From next month on it is charged on the first.
    U Great, bye. | Thanks, that's all.
    A Thank you, {first}. Goodbye!
    """,
)

SUPPORT = script(
    "support",
    "technical_support",
    "caller has it working again",
    """
    U Hi, {problem_said}. | I need some help, {problem_said}.
    S A caller had trouble: {problem}. It was not solved.
    A I'm sorry about that. Who am I speaking with, and since when does it happen? | That's annoying, let's look at it. What's your name, and when did it start?
    U It's {name}. {since}. | {name}. {since}, I think.
    S {name} had trouble: {problem}. It was not solved.
    ? A And is it the same on another device?
    ? U Yes, the same. | I only have this one.
    T run_diagnostics
    A Thank you, {first}. I ran a check and see the cause. Please try {fix} and tell me what happens. | From here it looks fine, {first}. Could you try {fix}?
    U Okay, one moment... | Hold on, let me try.
    = solved done
    S {name} had trouble: {problem}. Solved with {fix}.
    U It works now! | Yes, it's back. | That did it.
    T open_case
    = case
    A Wonderful. I've noted case {case} in case it comes back. | Great to hear. Your case number is {case}, should you need it.
    U Thank you so much. | Thanks, you saved my day.
    A You're welcome, {first}. Goodbye!
    """,
)

PASSWORD = script(
    "password",
    "account_access",
    "caller can log in again",
    """
    U I can't log in to my account. | I'm locked out, it says too many attempts.
    S A caller was locked out of an account; access was not restored.
    A I can help you get back in. What is the e-mail address of the account?
    U {email}. | It's {email}.
    T find_account
    = found
    A Thank you. For safety, what is your city? | And to verify you, which city do you live in?
    U {city}.
    S A caller was locked out of the account {email}; access was not restored.
    T send_reset_link
    A Thanks, {first}. I've sent a reset link to {email}; it is valid for an hour. | Verified, {first}. A link to set a new password is in your inbox.
    = solved done
    S {first} was locked out and got back in with a reset link to {email}.
    U I have it. Okay, it lets me in. | Got it, I'm in. Thank you.
    ? A Do you want to turn on two-step login as well?
    ? U Maybe later. | Not now, thanks.
    A Glad that worked. Goodbye, {first}.
    """,
)

HOURS = script(
    "hours",
    "opening_hours",
    "caller asks about hours or the address",
    """
    U What time are you open on {asked_day}? | Are you open on {asked_day}? | Hello, {name} here. When are you open on {asked_day}? | Hi, this is {name}. Can I come by on {asked_day}?
    S A caller asked for the opening hours on {asked_day}.
    = answered done
    A {hours_said}
    ? U And where exactly are you?
    ? S A caller asked for the opening hours on {asked_day} and for the address.
    ? A We're at {premises}. | Our address is {premises}.
    ? U Is there parking? | Can I park there?
    ? A Yes, free for two hours right behind the building.
    U Great, that's all I needed. | Thank you, bye.
    A Thank you for your call. Goodbye! | You're welcome, see you soon.
    """,
)

MESSAGE = script(
    "message_left",
    "left_voicemail",
    "caller has left a message",
    """
    A You have reached {business}. Nobody can take your call right now. Please leave your name and number after the tone. | Thank you for calling {business}. We cannot take your call at the moment, please leave a message.
    = message callback
    S {name} left a message about the {subject} and asks to be called back at {phone_said}.
    U Hi, this is {name}, it's about my {subject}. Please call me back at {phone_said}. Thanks. | Hello, {name} here. I have a question about my {subject}. Please call me at {phone_said}.
    """,
)


def handed_over(number_name: str, slot: str) -> Script:
    """Return the script of a caller who wants a person. The agent asks for a number, which is the fact `slot`."""
    text = """
        = complained
        U {complaint_said}. | Hello. {complaint_said}.
        S A caller complained: {complaint}.
        A I'm sorry to hear that. Could I have your name and {number_name}? | I understand, and I want to get this right. What's your name and {number_name}?
        U {name}, {slot}. | It's {name}. The number is {slot}.
        S {name} complained: {complaint}.
        T find_customer
        = found
        A Thank you, {first}. I can see what happened. I could open a case for you right away. | Thanks, {first}. I have your file here. Shall I try to sort it out for you?
        U No, I'd rather talk to a person. | This is the third time I'm calling. Please get me a human.
        ? A I understand. Is {phone_said} right, in case we get cut off?
        ? U Yes.
        T transfer_call
        = transferred
        S {name} complained ({complaint}) and was transferred to {desk}.
        A Of course. I'm connecting you with {desk} now, please stay on the line. | I'm transferring you to {desk}. One moment, please.
        """
    text = text.replace("{number_name}", number_name).replace("{slot}", f"{{{slot}}}")
    return script("support_with_transfer", "speak_to_human", "caller asks for a person", text)
