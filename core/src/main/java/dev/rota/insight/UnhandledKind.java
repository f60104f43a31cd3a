package dev.rota.insight;

/**
 * A kind whose tasks stay pending, since no living process has told of a handler for it in the
 * pools where they were found. Immutable.
 *
 * @param kind the kind
 * @param foundBy how many living processes found tasks of it within the last 20 minutes
 * @param silent how many living processes do not tell for which kinds they have handlers
 */
public record UnhandledKind(String kind, int foundBy, int silent) {}
