import { createHash, type Hash } from 'node:crypto';
import { type ArchiveMember, textMember } from '../../shared/archive/pack.ts';
import { type ListedFile, MANIFEST_MEMBER, type Manifest } from './manifest.schema.ts';

/** The members as they come, and as the last one the manifest that lists them with their digests. */
export async function* withManifest(
  about: Omit<Manifest, 'files'>,
  members: AsyncIterable<ArchiveMember>,
): AsyncGenerator<ArchiveMember> {
  const files: ListedFile[] = [];
  for await (const member of members) {
    const hash = createHash('sha256');
    yield { ...member, body: hashed(member.body, hash) };
    files.push({ path: member.path, size: member.size, sha256: hash.digest('hex') });
  }
  yield textMember(MANIFEST_MEMBER, `${JSON.stringify({ ...about, files })}\n`, new Date(about.created_at));
}

async function* hashed(body: ArchiveMember['body'], hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}
