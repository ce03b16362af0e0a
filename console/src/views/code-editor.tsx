import '../shared.ts';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';

/** A fault, as the service names it; both count from 1. */
export interface Fault {
  readonly line: number;
  readonly column: number | undefined;
  readonly message: string;
}

export interface CodeEditorProps {
  /** At first; another `name` begins anew. */
  readonly text: string;
  readonly language: 'python' | 'yaml';
  readonly label: string;
  readonly faults: readonly Fault[];
  readonly isReadOnly?: boolean;
  readonly onText?: (text: string) => void;
}

const LANGUAGES = { python, yaml } as const;

/** Colours of the page, in light and dark: its custom properties reach into the shadow root. */
const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)' },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.propertyName], fontWeight: '600' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', height: '100%', fontSize: '13.5px' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-soft) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
});

/** What is typed over a selection. Left to itself, Chromium keeps the look of the old text by inline styles. */
const TYPE_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** An editor of code. It is in a shadow root: there its styles are no inline ones, which the policy forbids. */
export default function CodeEditor({ text, language, label, faults, isReadOnly = false, onText }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const tell = useRef(onText);
  tell.current = onText;
  useEffect(() => {
    const parent = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' });
    if (!parent) return;
    const state = EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        indentOnInput(),
        indentUnit.of(language === 'python' ? '    ' : '  '),
        highlightActiveLine(),
        LANGUAGES[language](),
        syntaxHighlighting(HIGHLIGHTS),
        THEME,
        TYPE_OVER,
        // Tab is left to whoever moves on with the keyboard; Ctrl ] and Ctrl [ indent.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.updateListener.of(({ docChanged, state: { doc } }) => docChanged && tell.current?.(doc.toString())),
      ],
    });
    const made = new EditorView({ state, parent, root: parent });
    view.current = made;
    return () => made.destroy();
  }, [language, label, isReadOnly]);
  useEffect(() => {
    const shown = view.current;
    if (!shown) return;
    const { doc } = shown.state;
    shown.dispatch(
      setDiagnostics(
        shown.state,
        faults.map((fault) => diagnosticOf(fault, doc)),
      ),
    );
    const [first] = faults;
    if (first) shown.dispatch({ selection: { anchor: diagnosticOf(first, doc).from }, scrollIntoView: true });
  }, [faults]);
  useEffect(() => {
    const shown = view.current;
    if (!isReadOnly || !shown || shown.state.doc.toString() === text) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } });
  }, [text, isReadOnly]);
  return <div ref={host} class="code" />;
}

function diagnosticOf({ line, column = 1, message }: Fault, doc: Text) {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const at = Math.min(from + Math.max(0, column - 1), to);
  return { from: at, to: Math.max(at, to), severity: 'error' as const, message };
}
