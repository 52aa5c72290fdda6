"""What streamlit runs, in the environment of the dashboard: TruLens's own page, told which database is meant."""

import os
import sys

if __name__ == "__main__":
    sys.argv[1:] = ["--database-url", os.environ["FOOTNOTE_TRULENS_DATABASE"]]
    from trulens.dashboard.main import main

    main()
