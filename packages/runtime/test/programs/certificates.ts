import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { show } from './show.ts'

/** Returns the code of the error that `action` throws. The error text differs between runtimes. */
const code = (action: () => unknown): unknown => {
  try {
    return action()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error)
  }
}

const block = (label: string, text: string): string => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`

const DAMAGED = [
  '',
  'garbage',
  '-----BEGIN CERTIFICATE-----\nMIIB\n',
  block('CERTIFICATE', 'MIIB'),
  block('CERTIFICATE', '@@@@'),
  block('PRIVATE KEY', 'MIIB'),
  'before\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
]

/** Main function of a test program that prints the names in certificates. */
export default function main(): void {
  const given: readonly string[] = JSON.parse(process.argv[2] ?? '[]')
  for (const text of given) {
    show('names', () => {
      const { subject, issuer, raw } = new X509Certificate(text)
      return [
        subject,
        issuer,
        raw.length,
        new X509Certificate(raw).subject,
        new X509Certificate(Buffer.from(text)).subject,
      ]
    })
    show('among others', () => new X509Certificate(`a comment\n${text}${given.join('\n')}`).subject)
    show('cut off', () => code(() => new X509Certificate(text.slice(0, -40)).subject))
  }
  for (const text of DAMAGED) show(JSON.stringify(text), () => code(() => new X509Certificate(text)))
  show('no text', () => code(() => new X509Certificate(Object(5))))
  show('an empty context', () => typeof createSecureContext())
}
