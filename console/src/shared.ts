/**
 * What every part of the page that is loaded later shares with its frame: it imports this file, so that the frame is built
 * as two scripts rather than as dozens.
 */
import './state/ask.ts';
import './state/commands.ts';
import './state/courses.ts';
import './state/driving.ts';
import './state/live.ts';
import './state/video.ts';
import './texts.ts';
import './ui/card.tsx';
import './ui/format.ts';
import './ui/icon.tsx';
import './ui/lazy.tsx';
import './ui/schema.ts';
import './ui/service-button.tsx';
import './ui/use-action.ts';
import './ui/use-load.ts';
import './views/command-form.tsx';
