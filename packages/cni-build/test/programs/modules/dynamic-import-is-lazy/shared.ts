export const shared = { log: ['shared'] }
