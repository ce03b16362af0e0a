import { useRef } from 'preact/hooks';
import { isSigningIn, signIn, signInProblem } from '../state/session.ts';
import { texts } from '../texts.ts';

const t = texts.login;

/** The key is read from the field once, and the field emptied. */
export function Login() {
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const input = field.current;
    const key = input?.value.trim() ?? '';
    if (!input || key === '') return input?.focus();
    input.value = '';
    void signIn(key);
  };
  return (
    <main class="login">
      <form class="card" onSubmit={submit} autocomplete="off">
        <h1 tabIndex={-1}>{t.title}</h1>
        <p class="muted">{t.intro}</p>
        <label>
          {t.key}
          <input
            ref={field}
            type="password"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby="sign-in-problem"
          />
        </label>
        <p id="sign-in-problem" class="problem" role="alert">
          {signInProblem.value}
        </p>
        <button type="submit" class="primary" disabled={isSigningIn.value}>
          {isSigningIn.value ? t.busy : t.submit}
        </button>
      </form>
    </main>
  );
}
