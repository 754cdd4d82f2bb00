"""Words whose change changes what is said: numbers, dates and negations, in five languages.

The lists are joined and not chosen by language: tags are often missing and speakers mix languages. A
word that is a number in one language and something else in another is only kept as it is too often.
"""

from __future__ import annotations

import re

_NUMBERS_EN = """
zero oh nil one ones two twos three four five six seven eight nine ten tens eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty twenties thirty thirties forty forties fifty fifties sixty sixties seventy
seventies eighty eighties ninety nineties hundred hundreds thousand thousands million millions billion billions
trillion trillions dozen dozens half halves quarter quarters third thirds first second fourth fifth sixth seventh eighth
ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
thirtieth fortieth fiftieth hundredth thousandth millionth once twice thrice double triple point minus plus percent pm
"""
_NUMBERS_DE = """
null eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend million millionen milliarde
milliarden billion billionen halb halbe hälfte viertel drittel erste ersten zweite zweiten dritte dritten vierte vierten
fünfte fünften einmal zweimal dreimal doppelt komma prozent dutzend
"""
_NUMBERS_ES = """
cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho
diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve
treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos doscientas trescientos trescientas
cuatrocientos quinientos seiscientos setecientos ochocientos novecientos mil millón millones billón medio media mitad
tercio cuarto primero primera segundo segunda tercero tercera doble docena coma ciento
"""
_NUMBERS_FR = """
zéro deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante
cinquante soixante septante huitante nonante cent cents mille million millions milliard milliards demi demie moitié
tiers quart premier première deuxième troisième quatrième double douzaine virgule pourcent
"""
_DATES = """
january february march april may june july august september october november december monday tuesday wednesday thursday
friday saturday sunday januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag
samstag sonnabend sonntag enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes
martes miércoles jueves viernes sábado domingo janvier février mars avril juin juillet août septembre octobre novembre
décembre lundi mardi mercredi jeudi vendredi samedi dimanche yesterday today tomorrow
"""
NUMBERS = frozenset(" ".join((_NUMBERS_EN, _NUMBERS_DE, _NUMBERS_ES, _NUMBERS_FR, _DATES)).split())
NUMBER_COMPOUND = re.compile(
    # Numbers that are written as one word: fünfundzwanzig, sino-Korean 이십오, and native 스물다섯.
    r"(?:ein|zwei|zwo|zwan|drei|vier|fünf|sechs|sech|sieben|sieb|acht|neun|zehn|elf|zwölf|und|zig|ßig|hundert|tausend){2,}"
    r"(?:e[nrsm]?|te[nrsm]?|ste[nrsm]?)?"
    r"|[일이삼사오육륙칠팔구십백천만억조영공]{2,}.*"
    r"|(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔|백|천|만|억).*"
    r"|(?:한|두|세|네|일|이|삼|사|오|육|칠|팔|구|십|첫)(?:째|번째|번|개|명|월|년|시|분|초|원|배|살|달)?"
    r"|(?:월|화|수|목|금|토|일)요일.*"
)

_NEGATIONS = """
not never no none nor neither nobody nothing nowhere without hardly barely scarcely nope nah
nicht nichts nie niemals niemand nirgends nirgendwo ohne nein kein keine keinen keinem keiner keines weder
nunca jamás nada nadie ningún ninguno ninguna ningunos ningunas ni sin tampoco
ne pas non jamais rien personne aucun aucune sans guère nul nulle
"""
NEGATIONS = frozenset(_NEGATIONS.split())
NEGATION_PART = re.compile(
    r"안|못|안(?:돼|되|된|될|됩|됐|해|하|한|할|했|합|가|간|갈|갔|나|난|와|온|왔|써|쓰|봐|보|먹|좋).*"
    r"|.*(?:않|없|못하|못해|못한|못할|못합|못했|아니|아닌|아닙|아냐|말고|말아|마세요|지마)[^\s]*"
    r"|[不没沒無无非未别別勿]"
)
_PREFIXES = "un not in im il ir dis non anti mis des dé mé 불 비 미 무 부"
NEGATIVE_PREFIXES = tuple(_PREFIXES.split())
"""Put before a word they turn it round: `likely`, `unlikely`."""

NOT_OF = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
"""What stands before `n't`, where it is not the word itself."""
_BEFORE_NT = "do does did is are was were has have had would could should must need might ought"
WITHOUT_APOSTROPHE = {f"{word}nt": word for word in _BEFORE_NT.split()}
WITHOUT_APOSTROPHE |= {f"{word}nt": full for word, full in NOT_OF.items()}

_COMMON = """
a about after again all also always am an and another any anyway are as at away back be because been before being both
but by can come could did do does down each either else even every everybody everyone everything exactly few for from
get go going good got had has have having he hello help her here hers hey hi him his hole how however i if im in into
is it its just know last less let lets like look lot made make many maybe me mean might more most much must my next
not now of off oh ok okay on only or other our out over own people perhaps please really right said same say see she
should since so some somebody someone something sometimes somewhere sorry still such sure take than thank thanks that
thats the their theirs them then there theres these they theyre thing things think this those though through to
together too under until up us use very wait want was way we welcome well were weve what whatever whats when where
whether which while who whole whom whos whose why with would yeah yes yet you your youre yours aber alle als auch auf
aus bei bin bis da dann das dass dem den denn der des die dies diese doch du durch ein eine einen einem einer er es
für haben hat hatte hier ich ihr ist ja jetzt kann man mehr mein mit nach nur oder schon sehr sein sich sie sind über
um und uns unter vom von vor war warum weil wenn wer wie wir wird wo al algo así aunque bien bueno como cómo con cual
cuando de del desde después donde el ella ellos en entonces era esa ese eso esta está este esto fue ha hace hasta hay
la las le lo los más mi muy nos o para pero por porque pues que qué quien se ser si sí sobre son su también te tiene
todo tu un una vamos y ya yo à alors après au aussi aux avec avoir beaucoup bon car ce cela ces cet cette chez comme
comment d dans donc elle elles encore est et être eux il ils je là les leur lui ma mais même mes moi mon notre nous ou
où oui par parce pour pourquoi quand quel quelle qui sa ses sont sur ta tes toi ton tous tout très une va voilà vos
votre vous
"""
COMMON = frozenset(_COMMON.split())
"""Words that open a sentence with a capital and are no names."""
