import * as z from 'zod';

/** Longest SSID in bytes (IEEE 802.11, section 9.4.2.2); characters may take several. */
const SSID_BYTES = 32;

const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u;
const NOT_PLAIN = 'Control characters and broken Unicode are not allowed.';

/** An optional text; an empty one counts as not given. */
const text = (longest: number, description: string) =>
  z
    .string()
    .max(longest)
    .regex(PLAIN, NOT_PLAIN)
    .nullable()
    .default(null)
    .transform((value) => (value === '' ? null : value))
    .describe(description);

const path = (what: string) => text(1024, `${what}: absolute path below the data folder or /etc/ssl/certs`);

/** What joins a network (specification, sections 2.2 and 4.6), each field by itself. */
export const WifiFields = z.strictObject({
  ssid: z
    .string()
    .min(1)
    .max(32)
    .regex(PLAIN, NOT_PLAIN)
    .refine((ssid) => Buffer.byteLength(ssid) <= SSID_BYTES, 'An SSID has at most 32 bytes in UTF-8.')
    .describe('name of the network'),
  password: text(256, 'WPA: 8 to 63 printable ASCII characters, or 64 hexadecimal digits for WPA-PSK; 802.1X: any'),
  is_hidden: z.boolean().default(false).describe('the network does not announce its name'),
  eap_method: z
    .enum(['PEAP', 'TTLS', 'FAST', 'PWD'])
    .meta({ id: 'EapMethod' })
    .nullable()
    .default(null)
    .describe('802.1X method'),
  phase2: z
    .enum(['MSCHAPV2', 'GTC', 'PAP', 'CHAP', 'EAP'])
    .meta({ id: 'EapPhase2' })
    .nullable()
    .default(null)
    .describe(
      'what runs inside the tunnel; `EAP` is MSCHAPv2 as an EAP method of its own; null: MSCHAPv2 for PEAP and TTLS',
    ),
  identity: text(256, '802.1X user name'),
  anonymous_identity: text(256, '802.1X user name shown outside the tunnel'),
  ca_cert: path('CA certificate of the server; without it the CAs of the system count'),
  client_cert: path('certificate of this robot'),
  private_key: path('private key of client_cert'),
  private_key_password: text(256, 'password of private_key'),
  subject_match: text(1024, "part of the server certificate's subject"),
  domain_suffix_match: text(253, "ending of the server certificate's DNS name"),
  security: z
    .enum(['open', 'wpa-psk', 'sae', 'wpa-eap'])
    .meta({ id: 'WifiSecurity' })
    .nullable()
    .default(null)
    .describe('null: taken from the scan'),
  band: z
    .enum(['a', '5GHz', 'bg', '2.4GHz', '6GHz'])
    .meta({ id: 'WifiBand' })
    .nullable()
    .default(null)
    .describe('`a` is 5GHz, `bg` is 2.4GHz; `6GHz` needs a NetworkManager that knows it; null: whichever is better'),
});
