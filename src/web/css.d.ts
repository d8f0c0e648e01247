/** Styles are bundled separately from the scripts that import them. */
declare module '*.css';
