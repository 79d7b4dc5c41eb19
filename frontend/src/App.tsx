import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { address, goToPanel, PANELS, type Panel } from "./address";
import { Bandit } from "./panels/Bandit";
import { Compare } from "./panels/Compare";
import { Explorer } from "./panels/Explorer";
import { Inside } from "./panels/Inside";
import { Play } from "./panels/Play";
import { openFile } from "./panels/Settings";
import { goForward, goToEnd, goToStart, goToVariation, goUp } from "./panels/walking";
import { analysing, notice, online, send, welcome } from "./state";
import { LANGUAGES, language, t } from "./texts";
import { dark, toggleTheme } from "./theme";

const SHOWN: Record<Panel, () => preact.JSX.Element> = {
  play: Play,
  inside: Inside,
  explorer: Explorer,
  bandit: Bandit,
  compare: Compare,
};
const shared = signal(false);

const KEYS: Record<string, () => void> = {
  ArrowLeft: goUp,
  ArrowRight: goForward,
  ArrowUp: () => goToVariation(-1),
  ArrowDown: () => goToVariation(1),
  Home: goToStart,
  End: goToEnd,
  " ": () => send({ type: "analyse", on: !analysing.value }),
};

function onKey(event: KeyboardEvent): void {
  const on = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (on.closest("input, select, textarea, [role=application], [role=region]")) return;
  if (event.key === " " && on.closest("button, a, summary")) return;
  const panel = address.value.panel;
  if (panel !== "play" && panel !== "inside" && panel !== "compare") return;
  const act = KEYS[event.key];
  if (act) {
    act();
    event.preventDefault();
  }
}

function onPaste(event: ClipboardEvent): void {
  if ((event.target as HTMLElement).closest("input, textarea")) return;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (/^\s*\(\s*;/.test(text)) send({ type: "load_sgf", text });
}

function onDrop(event: DragEvent): void {
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  event.preventDefault();
  goToPanel("play");
  void openFile(file);
}

export function App() {
  const { panel } = address.value;
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    document.addEventListener("keydown", onKey);
    document.addEventListener("paste", onPaste);
    document.addEventListener("dragover", allow);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("paste", onPaste);
      document.removeEventListener("dragover", allow);
      document.removeEventListener("drop", onDrop);
    };
  }, []);
  useEffect(() => {
    document.title = `${t(panel)} · honte`;
    // On a narrow screen the panels' names scroll.
    const name = document.querySelector("nav [aria-current]");
    name?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [panel, language.value]);
  const Shown = SHOWN[panel];
  return (
    <>
      <a class="skip" href="#content" onClick={(e) => {
        e.preventDefault();
        document.getElementById("content")?.focus();
      }}>
        {t("skip")}
      </a>
      <header class="top">
        <div class="brand">
          <span class="name">honte</span>
          <span class="kanji" lang="ja" aria-hidden="true">
            本手
          </span>
          <span class="tagline">{t("tagline")}</span>
        </div>
        <nav aria-label="honte">
          {PANELS.map((name) => (
            <a
              key={name}
              href={`#/${name}`}
              data-panel={name}
              aria-current={name === panel ? "page" : undefined}
              onClick={(e) => {
                e.preventDefault();
                goToPanel(name);
              }}
            >
              {t(name)}
            </a>
          ))}
        </nav>
        <div class="tools">
          <button
            type="button"
            data-action="share"
            onClick={() => {
              void navigator.clipboard?.writeText(location.href).then(() => {
                shared.value = true;
                window.setTimeout(() => (shared.value = false), 2500);
              });
            }}
          >
            {shared.value ? t("shared") : t("share")}
          </button>
          <select
            aria-label={t("language")}
            value={language.value}
            data-choice="language"
            onChange={(e) => (language.value = e.currentTarget.value)}
          >
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
          <button type="button" onClick={toggleTheme} aria-label={t("theme")} title={t("theme")}>
            {dark.value ? "☀" : "☾"}
          </button>
        </div>
      </header>
      {!online.value && welcome.value !== null && (
        <p class="offline" role="status">
          {t("offline")}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        <h1 class="hidden">{t(panel)}</h1>
        <Shown />
      </main>
      {notice.value !== null && (
        <div class="notice" role="alert">
          <span>{notice.value}</span>
          <button type="button" aria-label={t("close")} onClick={() => (notice.value = null)}>
            ×
          </button>
        </div>
      )}
    </>
  );
}
