"""The most frequent function words of the languages that are told apart by them."""

# ruff: noqa: RUF001 - the letters of these languages are meant

_LISTS = {
    "en": """a about again all also although am an and another any are aren't as at be because
        been being both but by can can't cannot cant could couldn't did didn't do does doesn't
        doing don't done dont each either else every few for from get gets getting got had hadn't
        has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself
        his how how's however i i'd i'll i'm i've if in instead into is isn't it it'd it'll it's
        its itself just let let's like may maybe me might mine more most much must my myself need
        neither never no none nor not nothing of on one only or other our ours ourselves out over
        own perhaps please quite rather really same shall she she'd she'll she's should shouldn't
        since so some still such than that that's the their theirs them themselves then there
        there's these they they'd they'll they're they've this those though through thus to
        together too under until up upon us very want wants was wasn't way we we'd we'll we're
        we've were weren't what what's when where where's whether which while who who's whom whose
        why will with without won't would wouldn't yes yet you you'd you'll you're you've your
        yours yourself yourselves""",
    "de": """aber alle als am an auch auf aus bei bin bis bist bitte da damit danke dann das dass
        dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch
        du durch ein eine einem einen einer eines er es etwas für gegen gibt habe haben hallo hast
        hat hatte hier ich ihm ihn ihnen ihr ihre ihrem ihren im immer in ist ja jetzt kann kannst
        kein keine keinen keiner können könnte könnten man mehr mein meine meinem meinen meiner
        mich mir mit muss möchte müssen nach nein nicht nichts nie niemals noch nur ob oder ohne
        schon sehr sein seine seit sich sie sind so soll sollte sollten um und uns unser unsere
        unter viel vom von vor wann war waren warum was weil welche welcher welches wenn wer werde
        werden wie wieder wieviel will wir wird wo wurde wurden während zu zum zur zwischen über""",
    "es": """a al algo ante antes así aunque cada como con cual cuando cuanto cuantos cuál cuándo
        cuánto cómo de del desde donde dos durante dónde e el ella ellos en entre era es esa ese
        eso esta estaba estamos estas este esto estos estoy está están fue gracias ha han hasta
        hay he la las le les lo los me mi mis mucho muy más nada necesito ni ninguna ninguno no
        nos nosotros nunca o os otra otro para pero por porque puede puedes puedo que quiero quién
        qué se sea ser si sin sobre son soy su sus sí también tampoco te tengo tiene tienen tienes
        todo todos tu tus tú un una uno unos usted y ya yo él""",
    "fr": """a ai ainsi alors après as au aucun aucune aussi autre aux avant avec avez avoir avons
        bien bonjour c'est car ce cela ces cet cette chez combien comme comment d'un d'une dans de
        depuis des deux dois donc dont du elle elles en encore entre est et eu eux fait il ils
        j'ai jamais je jusqu l'on la le les leur leurs lors lui là ma mais me merci mes moi mon
        même n'est ne non nos notre nous ont ou où par parce pas peu peut peux plus pour pourquoi
        puis qu'est qu'il quand que quel quelle quelles quels qui quoi rien s'il sa sans se sera
        ses si son sont sous suis sur ta te tes toi ton tous tout toute toutes tu un une vers
        voici vos votre voudrais vous y à était été être""",
    "it": """a abbiamo ad ai al alla alle allo anche ancora avere avete aveva c'è che chi ci come
        con cosa così cui da dai dal dalla dalle dei del della delle dello di dopo dove due e ed
        era essere fa già gli grazie ha hai hanno ho i il in io l'ho la le lei lo loro lui ma mai
        me mi mia mie miei mio molto negli nei nel nella nelle nessun nessuna niente no noi non
        nostra nostro né o ogni per perchè perché più poi posso prima puoi può qual quale quali
        quando quanta quanti quanto quella quello questa queste questi questo qui quindi se sei
        senza si sia siamo sono sta sto su sua sue sugli sul sulla suo suoi tra tu tua tuo tutta
        tutte tutti tutto un una uno vi voglio voi vorrei è""",
    "pt": """a ainda ao aos as até com como da das de dela dele deles depois desde do dos e ela
        elas ele eles em entre era essa esse esta este estou está estão eu foi foram gostaria há
        isso isto já lhe mais mas me mesmo meu meus minha minhas muito na nada nas nem nenhum
        nenhuma no nos nossa nosso nunca não o obrigada obrigado olá onde os ou para pela pelas
        pelo pelos pode por porque posso preciso qual quando quanta quanto quantos que quem quero
        se sem ser seu seus sobre sou sua suas são também tem tenho ter teu toda todas todo todos
        tu um uma umas uns você vocês à às é""",
    "nl": """aan al alle als altijd andere bedankt ben bent bij dan dat de deze die dit doen door
        dus een en er ga gaan geen graag haar hallo heb hebben heeft hem het hier hij hoe hoeveel
        hun iets ik in is ja je jij jouw jullie kan kunnen kunt maar me meer men met mij mijn moet
        moeten na naar nee niet niets nog nooit nu of om omdat onder ons onze ook op over te tegen
        toch toen tot u uit uw van veel voor waar waarmee waarom wanneer want waren was wat we wel
        welke werd wie wij wil willen worden wordt zal ze zei zich zij zijn zo zonder zou""",
    "sv": """alla att av bara behöver blev bli blir de dem den deras det detta dig din ditt dom du
        där efter eller en ett från få får för ha hade han har hej hon hur här i icke ingen inte
        jag kan kunde man med mellan men mig min mina mitt mot mycket måste ni nu när någon något
        några och också om oss på sedan sig sin sina ska skulle som så tack till upp ut utan vad
        var vara varför vem vi vid vilka vilken vill är över""",
    "da": """af alle at blev blive bliver da de dem den denne der deres det dette dig din dit dog
        du efter eller en end er et for fra få får før gerne ham han har havde hej hende hun hvad
        hver hvis hvor hvordan hvorfor hvornår i ikke ind ingen jeg jer kan kun kunne lige man
        mange med meget mellem men mig min mine mit mod må ned nogen noget nogle nu når og også om
        op os over på sig sin skal skulle som så tak til ud uden var ved vi vil ville være været""",
    "no": """alle at av bare ble bli blir da de deg dem den denne der deres det dette din ditt du
        eller en enn er et etter for fra få får før gjerne ha hadde han har hei hun hva hvem hver
        hvis hvor hvordan hvorfor i ikke ingen inn jeg kan kunne man mange med meg meget mellom
        men mer min mine mitt mot mye må noe noen nå når og også om opp oss over på seg sin skal
        skulle som så takk til ut uten var ved vi vil ville være vært""",
    "fi": """ei eivät emme en ennen et että haluan he hei heidän hän hänen ilman ja jo joka jos
        jossa jotka jälkeen kaikki kanssa kiitos kuin kuinka kuka kun me meidän mihin miksi mikä
        milloin minulla minulle minun minä missä mistä miten mitä mutta myös ne niin nyt nämä ole
        olemme olen olet olette oli olisi ollut on ovat paljon paljonko pitää se sen siinä siitä
        sinulla sinun sinä sitten tai tarvitsen te teidän tämä tämän tätä vain vielä voi voiko
        voin voinko voisi voit""",
    "pl": """a aby albo ale bez bo by być był była było chciałbym chcę co coś cześć czy dla do
        dziękuję gdy gdzie go i ich ile im ja jak jaka jaki jakie jakiś jako jaką jeden jego jej
        jest jestem jeszcze jeśli już kiedy kto która które który ma mam mi mnie mogę moja moje
        może można mój na nad nas nie nim niż o od on ona oni oraz pan po pod potrzebuję proszę
        przed przez przy się są ta tak takie tam te tego tej ten to tu tylko tym w we wszystko z
        za ze że żeby""",
    "cs": """a aby ahoj ale ani ano asi až bez bude budu by byl byla bylo být chci co což do dobrý
        děkuji i jak jako je jeho jejich její jen ještě ji jsem jsi jsme jsou jste já k kam kde
        kdo kdy když kolik která které který mi mně mohu moje moji má mám máte mě můj může můžete
        na nad ne nebo není než o od ode on ona pak po pod pokud potřebuji pro prosím proto
        protože proč před při s se si svůj ta tak také tam ten tento to tohle toho tom tu ty už v
        ve vy však všechno z za ze že""",
    "tr": """acaba ama ancak bana bazı başka ben beni benim bir biri biz bize bizim bu buna bunu
        bunun burada da daha de değil diye en fakat gibi hangi hem hep her hiç ile ise istiyorum
        için içinde kadar kim lütfen merhaba mi misiniz miyim mu musunuz mü mı mısınız mıyım nasıl
        ne neden nerede niye o olan olarak oldu olduğu olur onu onun sana sen senin siz size sizin
        sonra teşekkür teşekkürler tüm var ve veya ya yok zaman çok çünkü önce şey şu""",
    "id": """ada adalah agar akan aku anda apa apakah atau bagaimana bagi bahwa banyak belum
        berapa bisa bukan dalam dan dapat dari dengan di dia halo hanya harus hingga ia ingin ini
        itu jika juga kalau kami kamu kapan karena kasih ke kenapa kepada kita lagi lain lebih
        mana mau mengapa mereka namun oleh pada para perlu pernah punya saat saja sangat saya
        sebagai sebuah sedang seperti sudah telah tentang terima tersebut tetapi tidak tolong
        untuk ya yang""",
    "ro": """a această acest aceste ai aici al ale am ar are asta astfel atunci au avea aș ca care
        ce cel cele cine cu cum când cât că da dar de decât deja despre din doar după e ea ei el
        ele era eram este eu fi fie fost iar ieri la le lor lui mai mea mei mele meu mi mult
        mulțumesc mă nu o ori pe pentru poate pot prin sa sau se si sunt să său te toate tot tu un
        una unde unei unor unui voi vom vrea vreau vă îl îmi în înainte între îți și""",
    "hu": """a ahol aki alatt amely ami amikor az azt be csak de egy el előtt engem ez ezek ezt
        fel ha hogy hogyan hol ide is itt kell ki kérem köszönöm között le lehet lenne lesz meg
        mennyi mennyibe mert mi mikor minden mint mit miért most már még nagyon neked nekem neki
        nekünk nem nincs nélkül ott sem szeretnék szeretném szia te ti tud tudok tudom után vagy
        vagyok van van-e volt én és ő ők""",
    "sr": """ako ali bez bi bila bilo bio biti da do dok gde gdje hoću i ih ili ima imam iz ja je
        jer joj još kad kada kako kao kod koja koje koji koju li ma me mene meni mi mogu moj moja
        moje mora može možete na nad ne nego neki nema ni nije nisam od on ona oni ova ovaj ovo po
        pod pre pri prije sa sam samo se si smo ste su sve svi svoj ta taj tako te ti to treba tu
        u uz vam vas već za zašto će ću šta što želim""",
    "ca": """a això al als amb aquest aquesta aquestes aquests com del dels el els em en ens esta
        estan estic està et fa fins ha he hi ho i jo la les li llur meu meva mi molt més no
        nosaltres on pel pels per perquè però pot puc quan quin quina què s'ha sense ser seu seva
        si sobre soc són també tinc tot tots té un una uns us va vaig vol vull és""",
    "vi": """anh bao bạn bị bởi cho chúng chỉ các cái có cùng cũng cảm của gì hay hơn khi không là
        làm lại muốn mà mình một người nhiêu nhiều như nhưng những nào này nên nếu ra rất rồi sao
        sẽ sự theo thì thế thể trong trên tôi tại từ và vào vì về với xin đang đi đây đã đó được
        đến để ơn ở""",
    "tl": """ako ang ano araw at ay ba bakit dahil din dito gusto ha hindi ikaw ito iyon kailan
        kami kang kanya kapag kay ko kung lang mga mo na nag naman namin natin ng ngayon ni nila
        nito niya nyo pa paano para po pwede sa saan sila sino siya tayo walang yung""",
    "sw": """ambao au bado bila cha haya hii hiyo hizo huo huu ili ingawa je kama kati katika kila
        kisha kuhusu kutoka kuwa kwa la lakini mimi na naomba nataka ndio ni nini pia sana sasa si
        tu wa wako wangu wao wapi wewe ya yake yako yangu yeye za zaidi""",
}

FUNCTION_WORDS = {code: frozenset(words.split()) for code, words in _LISTS.items()}
"""ISO 639-1 code to casefolded function words, in NFC, with straight apostrophes."""
