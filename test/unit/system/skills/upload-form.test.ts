import { describe, expect, it } from '@jest/globals';
import { readUploadForm } from '../../../../functions/system/skills/upload-form.ts';

const TYPE = 'multipart/form-data; boundary=XX';

function part(disposition: string, content = 'pass\n', more = ''): string {
  return `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
}
const SKILL = part('name="skill"; filename="x.py"');
const END = '--XX--\r\n';

function read(body: string | Buffer, contentType = TYPE) {
  return readUploadForm(Buffer.from(body), contentType);
}

describe('The form of an upload', () => {
  it('gives the name and the bytes unchanged', async () => {
    const content = Buffer.from([0, 1, 2, 255, 13, 10, 45, 45, 88, 10]);
    const head = '--XX\r\nContent-Disposition: form-data; name="skill"; filename="../ü/x.py"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n${END}`)]);
    expect(await read(body)).toEqual({ fileName: '../ü/x.py', bytes: content });
  });

  it.each([
    ['a header of no use', part('name="skill"; filename="x.py"', 'a', `X-A: ${'a'.repeat(90_000)}\r\n`) + END, 'a'],
    ['an empty file', part('name="skill"; filename="x.py"', '') + END, ''],
    ['a preamble', `hello\r\n${SKILL}${END}`, 'pass\n'],
    ['an epilogue', `${SKILL}${END}bye\r\n`, 'pass\n'],
    ['a type of its own', part('name="skill"; filename="x.py"', 'a', 'Content-Type: text/x-python\r\n') + END, 'a'],
  ])('may have %s', async (_what, body, content) => {
    expect((await read(body)).bytes.toString()).toBe(content);
  });

  it.each([
    ['is text', 'hello'],
    ['is one line break', '\r\n'],
    ['has no part', END],
    ['has no end', SKILL],
    ['ends within the headers of the part', '--XX\r\nContent-Disposition: form-data; name="sk'],
    ['ends within the content', '--XX\r\nContent-Disposition: form-data; name="skill"; filename="x.py"\r\n\r\npas'],
    ['has another boundary', SKILL.replaceAll('XX', 'YY') + END.replaceAll('XX', 'YY')],
    ['has two skills', SKILL + SKILL + END],
    ['has a field beside the skill', SKILL + part('name="note"') + END],
    ['has a field in front of the skill', part('name="note"') + SKILL + END],
    ['has a file beside the skill', SKILL + part('name="other"; filename="y.py"') + END],
    ['has a nameless part beside the skill', `${SKILL}--XX\r\n\r\nx\r\n${END}`],
    ['has many parts', SKILL.repeat(200) + END],
    ['names the part otherwise', part('name="Skill"; filename="x.py"') + END],
    ['names the part not at all', part('filename="x.py"') + END],
    ['has a text under the name', part('name="skill"') + END],
    ['has an empty file name', part('name="skill"; filename=""') + END],
    ['has a file without a name', part('name="skill"', 'x', 'Content-Type: application/octet-stream\r\n') + END],
    ['has a part that is no form data', SKILL.replace('form-data', 'attachment') + END],
    ['has a part without a disposition', `--XX\r\nContent-Type: text/plain\r\n\r\nx\r\n${END}`],
  ])('is refused when it %s', async (_what, body) => {
    await expect(read(body)).rejects.toMatchObject({ code: 'malformed_multipart' });
  });

  it('is refused with the name that the file part has and the one that it needs', async () => {
    await expect(read(part('name="file"; filename="x.py"') + END)).rejects.toThrow(
      'The file part is named "file"; name it "skill".',
    );
    await expect(read(part('filename="x.py"') + END)).rejects.not.toThrow('undefined');
  });

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; charset=utf-8', ''])(
    'is refused when its type is "%s"',
    async (contentType) => {
      await expect(read(SKILL + END, contentType)).rejects.toMatchObject({ code: 'malformed_multipart' });
    },
  );

  it('is refused when there is no body', async () => {
    await expect(readUploadForm('', TYPE)).rejects.toMatchObject({ code: 'malformed_multipart' });
  });
});
