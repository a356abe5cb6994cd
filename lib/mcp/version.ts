/** As package.json has it, which cannot be read from both halves of the package. A test compares them. */
export const VERSION = '1.0.0-rc.1';
