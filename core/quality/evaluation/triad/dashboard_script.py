"""Run TruLens's dashboard page for our database. Streamlit runs this file in the dashboard's environment."""

import os
import sys

if __name__ == "__main__":
    sys.argv[1:] = ["--database-url", os.environ["FOOTNOTE_TRULENS_DATABASE"]]
    from trulens.dashboard.main import main

    main()
