package dev.rota.archive.internal.store;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/** Puts an object that is too large for one request. It appears when its last part is stored. */
final class PartUpload {

  /** The size of a part. An object may have at most ten thousand parts: 640 GB. */
  static final long PART_BYTES = 64L << 20;

  private static final int BUFFER = 1 << 16;

  private final S3Client s3;
  private final String bucket;
  private final String key;

  PartUpload(S3Client s3, String bucket, String key) {
    this.s3 = s3;
    this.bucket = bucket;
    this.key = key;
  }

  void put(Path file, long bytes) {
    String upload = s3.createMultipartUpload(request -> request.bucket(bucket).key(key)).uploadId();
    try {
      List<CompletedPart> parts = new ArrayList<>();
      for (long from = 0; from < bytes; from += PART_BYTES) {
        long length = Math.min(PART_BYTES, bytes - from);
        parts.add(put(upload, parts.size() + 1, part(file, from, length)));
      }
      s3.completeMultipartUpload(
          request ->
              request
                  .bucket(bucket)
                  .key(key)
                  .uploadId(upload)
                  .multipartUpload(all -> all.parts(parts)));
    } catch (SdkException e) {
      abortAfter(e, upload);
      throw e;
    }
  }

  void abort(String upload) {
    s3.abortMultipartUpload(request -> request.bucket(bucket).key(key).uploadId(upload));
  }

  /** Aborts an upload. If that fails now, the archiver aborts it a day later. */
  private void abortAfter(SdkException reason, String upload) {
    try {
      abort(upload);
    } catch (SdkException e) {
      reason.addSuppressed(e);
    }
  }

  private CompletedPart put(String upload, int number, RequestBody part) {
    String tag =
        s3.uploadPart(
                request -> request.bucket(bucket).key(key).uploadId(upload).partNumber(number),
                part)
            .eTag();
    return CompletedPart.builder().partNumber(number).eTag(tag).build();
  }

  private static RequestBody part(Path file, long from, long length) {
    ContentStreamProvider content = () -> open(file, from, length);
    return RequestBody.fromContentProvider(content, length, "application/octet-stream");
  }

  private static InputStream open(Path file, long from, long length) {
    try {
      FileChannel channel = FileChannel.open(file).position(from);
      return new BufferedInputStream(new Part(Channels.newInputStream(channel), length), BUFFER);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A part of another stream, of limited length. */
  private static final class Part extends InputStream {
    private final InputStream whole;
    private long left;

    Part(InputStream whole, long length) {
      this.whole = whole;
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (left == 0) {
        return -1;
      }
      int got = whole.read(bytes, offset, (int) Math.min(length, left));
      left -= Math.max(got, 0);
      return got;
    }

    @Override
    public void close() throws IOException {
      whole.close();
    }
  }
}
