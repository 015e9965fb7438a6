"""Words of work and of every day, which orders to a reader seldom have."""

from __future__ import annotations

ORDINARY = """
    test tests build ticket page table list server port form step steps release
    invoice door gate pump report vendor month monday tuesday friday ship light config
    flag flags index cache deploy commit branch manual invoice* meeting* customer*
    vendor* office budget price* cost* contract* minutes agenda photo* picture* slide*
    draft* chapter* wiki readme changelog docs documentation release* version*
    package* library module* function* class method* argument* parameter* option*
    column* row rows field* query queries schema migration* backup* snapshot* archive*
    schedule* cron timer calendar appointment* flight* hotel* train ticket* printer*
    laptop* screen keyboard lamp paint brush* roof lift crate* truck* container*
    harbour harbor dock crane* valve* motor* battery filter* water oil weather kitchen
    lunch dinner bread coffee garden* street* city bridge* school teacher* student*
    child children book* song film music club party member* summer winter spring
    autumn january february march april may june july august september october
    november december wednesday thursday saturday sunday morning noon evening
    yesterday tomorrow today week weeks year years hour hours minute euro euros
    dollar* percent kg meter* byte bytes mb gb cpu ram http ports socket thread*
    process* latency timeout* retry retries error errors warning* bug bugs fix
    feature* api endpoint* json yaml csv html css python rust java docker kubernetes
    linux debian ubuntu windows macos git github gitlab merge rebase diff patch*
    bericht* rechnung* kunde* termin* tur licht haus wohnung stadt buch informe
    factura cliente reunion puerta casa ciudad libro rapport facture client porte
    maison ville livre relatorio fatura porta cidade livro fattura riunione citta
    rekening klant vergadering deur huis raport faktura klient drzwi rapor musteri
    kapi dorr hus copyright licence license licensed licenses liability warranty
    distribute distribution redistribute modified software permit* trademark notice*
    copy copies author authors contributor* contributing maintainer* upstream makefile
    compiler build* builds built configure* tarball archive header headers prototype
    macro macros struct pointer* buffer* callback* handler* object objects instance*
    attribute* property value values string strings integer float dict tuple iterator
    generator exception* traceback assert assertion* import* namespace* scope variable
    variables kernel syscall* daemon unit units mount filesystem partition device
    devices driver drivers packet* interface* netmask route* dns tcp udp ssl tls
    certificate* cipher* hash hashes signature* mailing lists subscribe issue issues
    pull contributor roadmap benchmark* coverage pytest example.com localhost
    docstring* typing stub* wheel pip npm yarn cargo bundle* dependency dependencies
    utf-8 encoding* codec* unicode ascii stdin stdout stderr exit status code codes
    exit-code signal signals
"""
"""What is in `concepts` as ``plain``."""
