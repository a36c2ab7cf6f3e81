# ruff: noqa: SIM905 - as list literals the names would stand on 470 lines.
"""Common names of the United States, drawn once from faker (en_US, seed 4010)."""

FIRST = tuple(
    """
    Judith Michelle William Crystal Gloria Lindsay Tammy Ryan Paul Gary Samuel Lisa Jonathan Sara Michael Philip
    Hannah Darlene Heather Erika Karina Stephanie James Laura Douglas Evan Daniel Brian Justin Christian Kevin Tommy
    Matthew David Amanda Madison Susan Mark Kyle Troy Patrick Rachel Joshua Ashley Kylie Stephen Sharon Jo Leah
    Brandy Maria Amber Courtney Robert Kelly Melissa Jeremy Jared Thomas Jeffrey Sarah Natalie Samantha Natasha
    Charles Linda Dennis Nicole Paula Alexis Destiny Richard Marcus Curtis Penny Kimberly Aaron Isaac Leslie Dustin
    Clinton Emily Shelly Amy Katie Jasmine Christina Rita Jodi Loretta Jason Cheryl Anna Jon Corey Melanie Kathleen
    Caitlin Theresa Travis Barbara Carol Megan Albert Jermaine Tamara Vanessa Andrew Cody Rose John Sean Alicia
    Debra Miranda Alejandro Regina Jacob Caroline Steven Wyatt Vickie Teresa Monique Katherine Keith Robin Aimee
    Becky Dylan Abigail Shannon Tracy Casey Ruben Noah Scott Shane Jessica Janice Kenneth Joel Zoe Betty Deanna Tina
    Gregory Julie Chloe Jennifer Joan Timothy Elizabeth Jeff Tracey Anthony Cynthia Wendy Adam Morgan Brenda Jesus
    Edward Victor
    """.split()
)
LAST = tuple(
    """
    Rowe Brown Serrano Bell Cortez Johnston Jenkins Henderson Ramirez Cooper Bass Becker Snyder Shaw Nash Johnson
    Martinez Brooks Jackson Bennett Newton Thompson Cohen Knox Webb Young Bernard Schultz Harding Sanders Hart Chung
    Perry Mueller Burns Price Richardson Richard Walsh Mendez Peters Barrera Davis Miranda Cunningham Ortiz Miller
    Strickland Wilson Garcia Mccann Ballard Kelley Clark Rojas Coleman Williams Rodriguez Davies Brady Dixon Clayton
    Richards Stuart Freeman Dougherty Diaz Griffin Stone Rosales Pena Robinson Ward Rose Lawson Douglas Wells Powers
    James Jones Leonard Cruz Brewer Lambert Chandler Smith Elliott Roberts Williamson Hunt Wagner Krueger Lawrence
    Palmer Hall Taylor Carter Cobb Allen Mathis Morgan Vargas Rivera Hunter Valencia Obrien Sanchez Branch Blair
    Livingston Krause Harrison Hahn Whitaker Goodman May Banks Rosario Perkins Ochoa Terry Wright Benson Jordan
    Bright Garrett Curry Aguilar Barry Michael Oliver Braun Barnett Graves Lopez Porter Tran Spencer Carlson Curtis
    Wilcox Summers Key Robertson Dunn Odom Lara Hamilton Perez King Marshall Meyer Rios Nguyen Dalton Long Martin
    Ray Harris Ross Graham Mosley Gallagher Thornton Fischer Meyers Huber Bryant Kennedy Lane Andrews Woodward Page
    Moore Barnes Wood Cole Morales Mccarthy Gould Blackburn Watson Brandt Glover Franco Harmon Todd Anderson
    Carpenter Hernandez Guzman Pineda Baxter Fletcher Dunlap Walker Grimes White Duke Stephens Juarez Rocha Kelly
    Oconnell Nelson Conner Moreno Cabrera Joyce Riley Chen Gordon Higgins Boyer Vaughn Adams Alexander Flynn
    Stephenson Hughes Stevenson Robles Mayer Maxwell Mora Jimenez Henry Burke Carr West Moses Gomez Bailey Howell
    Bruce Medina Mclean Henson Davidson Sandoval Crosby Simmons Gonzalez Hull Edwards Kim Flores Jacobson Daniels
    Hartman Dawson Luna Hill Duncan Molina Pennington Evans Waller Pugh Gregory Parks Wilkinson Conrad Sharp
    Villegas Hanson Foster Chambers Green Pierce
    """.split()
)
# Of the voice agents.
AGENTS = tuple(
    """
    Andrea Amber Angela Michelle Hailey Kristin Lisa Sandra Jackie Martha Amanda Cynthia Emily Barbara Karen
    Elizabeth Vicki Janet Tammy David Christopher Marc Brandon Nicholas Frank James Dominic Gary Taylor Tanner
    Sean Jason Ryan John Patrick Rodney Zachary Joe
    """.split()
)
