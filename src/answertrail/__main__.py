"""`python -m answertrail` is the `answertrail` command."""

from answertrail.cli.main import main

if __name__ == "__main__":
    main()
