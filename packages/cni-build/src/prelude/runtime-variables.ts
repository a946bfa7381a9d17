/**
 * True if the environment variable configures the runtime, for example makes it load code. Executables ignore these
 * variables.
 */
export function isRuntimeVariable(name: string, runtime: 'bun' | 'node'): boolean {
  return NAMES[runtime].includes(name) || (runtime === 'bun' && isOfBun(name))
}

// internal

/** Environment variables that affect bun 1.4 and Node 26, recorded by intercepting `getenv`. */
const NAMES: Readonly<Record<'bun' | 'node', readonly string[]>> = {
  bun: [
    'ICU_DATA',
    'ICU_TIMEZONE_FILES_DIR',
    'JSC_SIGNAL_FOR_GC',
    'JavaScriptCoreUseJIT',
    'NODE_CHANNEL_FD',
    'NODE_COMPILE_CACHE',
    'NODE_DEBUG',
    'NODE_EXTRA_CA_CERTS',
    'NODE_PATH',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'NODE_USE_SYSTEM_CA',
    'OPENSSL_ia32cap',
    'SIMDUTF_FORCE_IMPLEMENTATION',
    'WTF_numberOfProcessorCores',
  ],
  node: [
    'ICU_TIMEZONE_FILES_DIR',
    'NODE_CHANNEL_FD',
    'NODE_COMPILE_CACHE',
    'NODE_DEBUG',
    'NODE_DEBUG_NATIVE',
    'NODE_EXTRA_CA_CERTS',
    'NODE_ICU_DATA',
    'NODE_PATH',
    'NODE_PENDING_DEPRECATION',
    'NODE_PRESERVE_SYMLINKS',
    'NODE_PRESERVE_SYMLINKS_MAIN',
    'NODE_REDIRECT_WARNINGS',
    'NODE_REPL_EXTERNAL_MODULE',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'NODE_UNIQUE_ID',
    'NODE_USE_ENV_PROXY',
    'NODE_USE_SYSTEM_CA',
    'NODE_V8_COVERAGE',
    'OPENSSL_CONF',
    'OPENSSL_ENGINES',
    'OPENSSL_MODULES',
    'OPENSSL_ia32cap',
    'SIMDUTF_FORCE_IMPLEMENTATION',
  ],
}

/** True for bun's variables except `BUN_INSTALL…`, which developers' shells set and executables do not read. */
const isOfBun = (name: string): boolean =>
  name.startsWith('BUN_') ? !name.startsWith('BUN_INSTALL') : name.slice(0, 9).toLowerCase() === 'mimalloc_'
