package dev.rota.history;

/**
 * A segment of a tenant's history that was written to an archive.
 *
 * @param tenant the number of the tenant
 * @param seq the number of the segment
 * @param key the key of its file in the archive
 * @param bytes the size of the file
 * @param sha256 its SHA-256 as it was written, in lower-case hexadecimal digits
 */
public record ArchivedSegment(int tenant, int seq, String key, long bytes, String sha256) {}
