import type { PinnedFile } from '../image/pins.ts'

/** Processors for which the small runtime is built, with the names that Node.js uses. */
export const PROCESSORS = ['x64', 'arm64'] as const
export type Processor = (typeof PROCESSORS)[number]

/** Version of QuickJS, as in the file VERSION of its source. */
export const QUICKJS_VERSION = '2025-04-26'
/** Version of the C library musl, without Debian's revision. */
export const MUSL_VERSION = '1.2.5'
/** Version of the TLS library Mbed TLS, as in its own headers. */
export const MBEDTLS_VERSION = '3.6.6'

/** Pinned source archive of QuickJS. Updates take the SHA-256 from Debian's signed list. */
export const ENGINE_SOURCE: PinnedFile = {
  archive: 'debian',
  path: 'pool/main/q/quickjs/quickjs_2025.04.26.orig.tar.xz',
  sha256: 'ec81da5b3249ed648dbc7df4a1654988910e66a118d9b71cb63534216efcfbbe',
}

/**
 * Source archive of Mbed TLS from its long-term support series 3.6. Debian trixie gets every release of this series.
 */
export const TLS_SOURCE: PinnedFile = {
  archive: 'debian',
  path: 'pool/main/m/mbedtls/mbedtls_3.6.6.orig.tar.bz2',
  sha256: '8fb65fae8dcae5840f793c0a334860a411f884cc537ea290ce1c52bb64ca007a',
}

/** musl of Debian trixie: headers, start files and the static library. */
export const C_LIBRARY: Readonly<Record<Processor, PinnedFile>> = {
  x64: {
    archive: 'debian',
    path: 'pool/main/m/musl/musl-dev_1.2.5-3.1~deb13u1_amd64.deb',
    sha256: 'a3f7d47e452129bb65aae201d6c115abf4d5d3efb136b38b7c6b4fa03ec065e9',
  },
  arm64: {
    archive: 'debian',
    path: 'pool/main/m/musl/musl-dev_1.2.5-3.1~deb13u1_arm64.deb',
    sha256: '384ea029e3694baac696d3993d93246f9a4b3741c493697e1ceb7256d8820748',
  },
}
