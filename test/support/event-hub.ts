import { EventHub, type HubParts } from '../../functions/shared/events/hub.ts';
import { type Mail, Mailbox, type MailboxLimits } from '../../functions/shared/events/mailbox.ts';
import { handClock } from './robot.ts';

/** A hub of the robot `pip` whose clock stands still. */
export function testHub(parts: Partial<HubParts> = {}) {
  const clock = handClock(Date.parse('2027-03-01T12:00:00Z'));
  const hub = new EventHub({ source: '/robots/pip', clock: clock.now, boot: 'boot1', ...parts });
  return { hub, clock };
}

/** A consumer that takes when the test does. */
export function testConsumer(limits?: MailboxLimits) {
  const seen = { overflows: 0, coalesced: 0 };
  const mailbox = new Mailbox(
    {
      onMail: () => undefined,
      onOverflow: () => {
        seen.overflows += 1;
      },
      onCoalesced: () => {
        seen.coalesced += 1;
      },
    },
    limits,
  );
  return { mailbox, seen, read: () => read(mailbox) };
}

/** Everything that waits, events in their JSON form. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export function read(mailbox: Mailbox): any[] {
  const messages: unknown[] = [];
  for (let mail = mailbox.take(); mail; mail = mailbox.take()) messages.push(messageOf(mail));
  return messages;
}

function messageOf(mail: Mail): unknown {
  return 'event' in mail ? { type: 'event', event: JSON.parse(mail.event.json) } : mail.notice;
}
