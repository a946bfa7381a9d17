/**
 * @module
 */
export {}
