# The app with everything it needs, its embedding models too: it downloads nothing when it runs.
#   docker build -t memory-bank .
FROM python:3.11.14-slim-bookworm AS packages
COPY requirements.lock ./
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --no-deps \
        -r requirements.lock

FROM python:3.11.14-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home bank && install -d -o bank -g bank -m 0700 /data
COPY --from=packages /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH STORAGE_DIR=/data PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
COPY .streamlit/config.toml .streamlit/
COPY app.py ./
COPY memory_bank memory_bank
COPY pages pages
COPY components components
RUN python -m compileall -q .
USER 10001
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=10s --start-period=90s CMD \
    ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/health', timeout=8)"]
CMD ["python", "-m", "memory_bank", "serve", \
    "--server.headless", "true", "--server.address", "0.0.0.0", "--server.port", "8501"]
