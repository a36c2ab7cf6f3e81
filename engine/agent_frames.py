"""The agent's usual sentences in each language. `{}` is the place of a question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgentFrames:
    """Sentences of one language.

    `openings` begin a conversation and `going_on` continue one without a question of the prompt; `general` are the
    questions behind `again`, which asks a second time. `listening` goes on with a chat, `more` asks for further
    questions. `next` thanks for an answer, `bare` for a value without a word of what it is for. `wrong` asks what is
    right after a no, `either` which of two options is meant. `options` names what the caller can do, `states` what may
    be the matter, `options_too` both. `well` answers "How are you?", `robot` "Are you a robot?".
    """

    openings: tuple[str, ...]
    going_on: tuple[str, ...]
    listening: tuple[str, ...]
    more: str
    general: tuple[str, ...]
    again: tuple[str, ...]
    next: tuple[str, ...]
    bare: str
    either: str
    either_state: str
    options: str
    states: str
    options_too: str
    yes_or_no: str
    wrong: str
    greeted: str
    well: str
    robot: str
    thanked: str
    waiting: str
    closings: tuple[str, ...]


FRAMES = {
    "en": AgentFrames(
        openings=("How can I help you?", "What can I do for you?", "Tell me, what is it about?"),
        going_on=("Please go on.", "I see. What would you like to do?", "All right. What else can you tell me?"),
        listening=("I see. Tell me more.", "Oh, really? And then?", "That's good to know. What else is new?"),
        more="Do you have any other questions?",
        general=("How can I help you?", "What can I do for you?", "What would you like to do?"),
        again=(
            "Sorry, I didn't get that. {}",
            "I am not sure that I understood. {}",
            "Could you say that in other words? {}",
            "Let me ask again, so that I get it right. {}",
            "I'm sorry, could you say that once more? {}",
            "I'm afraid I don't follow yet. {}",
        ),
        next=("Thank you. {}", "All right. {}", "Got it, thanks. {}"),
        bare="{}, thank you. {}",
        either="Would you like to {}?",
        either_state="Is it that you {}?",
        options="You can {}.",
        states="I can help if you {}.",
        options_too="You can also {}.",
        yes_or_no="Please answer with yes or no.",
        wrong="I'm sorry. What is right, then?",
        greeted="Hello! {}",
        well="I'm doing well, thank you. {}",
        robot="I'm an automated assistant. {}",
        thanked="You're welcome. {}",
        waiting="Of course, take your time.",
        closings=("Thank you, and goodbye!", "Thanks for your time. Have a good day!"),
    ),
    "de": AgentFrames(
        openings=("Wie kann ich Ihnen helfen?", "Was kann ich für Sie tun?", "Worum geht es denn?"),
        going_on=("Was kann ich noch für Sie tun?", "Verstehe. Wie möchten Sie weitermachen?", "Gut. Was noch?"),
        listening=(
            "Verstehe. Erzählen Sie mehr.",
            "Ach, wirklich? Und dann?",
            "Gut zu wissen. Und sonst?",
        ),
        more="Haben Sie sonst noch Fragen?",
        general=("Wie kann ich Ihnen helfen?", "Was kann ich für Sie tun?", "Was möchten Sie tun?"),
        again=(
            "Entschuldigung, das habe ich nicht ganz verstanden. {}",
            "Ich bin nicht sicher, ob ich Sie richtig verstehe. {}",
            "Könnten Sie das bitte anders sagen? {}",
            "Verzeihung, wie meinen Sie das? {}",
            "Noch einmal, damit ich nichts falsch mache. {}",
        ),
        next=("Danke. {}", "Gut, danke. {}", "In Ordnung. {}"),
        bare="{}, danke. {}",
        either="Möchten Sie {}?",
        either_state="Geht es darum, dass {}?",
        options="Sie können {}.",
        states="Ich kann helfen, wenn {}.",
        options_too="Sie können auch {}.",
        yes_or_no="Bitte antworten Sie mit ja oder nein.",
        wrong="Entschuldigung. Was ist denn richtig?",
        greeted="Guten Tag! {}",
        well="Danke, mir geht es gut. {}",
        robot="Ich bin ein automatischer Assistent. {}",
        thanked="Gern geschehen. {}",
        waiting="Natürlich, lassen Sie sich Zeit.",
        closings=("Vielen Dank und auf Wiederhören!", "Danke für das Gespräch. Einen schönen Tag noch!"),
    ),
    "es": AgentFrames(
        openings=("¿En qué puedo ayudarle?", "¿Qué puedo hacer por usted?", "Dígame, ¿de qué se trata?"),
        going_on=("¿En qué más puedo ayudarle?", "Entiendo. ¿Qué le gustaría hacer?", "Muy bien. ¿Algo más?"),
        listening=("Ya veo. Cuénteme más.", "¿De verdad? ¿Y después?", "Me alegra saberlo. ¿Qué más hay de nuevo?"),
        more="¿Tiene alguna otra pregunta?",
        general=("¿En qué puedo ayudarle?", "¿Qué puedo hacer por usted?", "¿Qué le gustaría hacer?"),
        again=(
            "Perdone, no le he entendido bien. {}",
            "No estoy seguro de haberle entendido. {}",
            "¿Podría decirlo de otra manera? {}",
            "Disculpe, ¿cómo dice? {}",
            "Para no equivocarme, se lo pregunto otra vez. {}",
        ),
        next=("Gracias. {}", "Muy bien, gracias. {}", "De acuerdo. {}"),
        bare="{}, gracias. {}",
        either="¿Desea {}?",
        either_state="¿Es que {}?",
        options="Puede {}.",
        states="Puedo ayudarle si {}.",
        options_too="También puede {}.",
        yes_or_no="Por favor, responda sí o no.",
        wrong="Disculpe. ¿Qué es lo correcto?",
        greeted="¡Buenos días! {}",
        well="Muy bien, gracias. {}",
        robot="Soy un asistente automático. {}",
        thanked="De nada. {}",
        waiting="Claro, tómese su tiempo.",
        closings=("Muchas gracias. ¡Hasta luego!", "Gracias por su llamada. ¡Que tenga un buen día!"),
    ),
}
