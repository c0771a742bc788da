package io.indexview.client.read;

import io.indexview.schemas.hash.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Positions as text, and back: opaque to those who carry it, and refused when anybody changed it.
 * The text is signed, not encrypted; it is safe in URLs. Thread-safe.
 *
 * <p>Tokens hold as long as the key does: processes that share a key take each other's tokens.
 */
public final class PageTokens {
  /** Bytes of the shortest key. */
  public static final int MIN_KEY_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte VERSION = 2;
  private static final int SIGNATURE_BYTES = 32;
  private static final int MAX_CHARACTERS = 256 * 1024;
  private static final int USUAL_BYTES = 256;
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  /** One for each thread: to look one up costs more than to sign. */
  private final ThreadLocal<Mac> macs;

  private PageTokens(byte[] key) {
    SecretKeySpec secret = new SecretKeySpec(key, ALGORITHM);
    this.macs = ThreadLocal.withInitial(() -> mac(secret));
  }

  /**
   * Tokens that outlive the process.
   *
   * @param key secret, at least {@value #MIN_KEY_BYTES} bytes, copied
   * @throws IllegalArgumentException if it is shorter
   */
  public static PageTokens of(byte[] key) {
    if (key.length < MIN_KEY_BYTES) {
      throw new IllegalArgumentException(
          "a page token key of %d bytes: use %d random ones or more"
              .formatted(key.length, MIN_KEY_BYTES));
    }
    return new PageTokens(key);
  }

  /** Tokens that only this object takes. */
  public static PageTokens ofThisProcess() {
    byte[] random = new byte[MIN_KEY_BYTES];
    new SecureRandom().nextBytes(random);
    return new PageTokens(random);
  }

  public String write(PagePosition position) {
    byte[] body = body(position);
    byte[] token =
        ByteBuffer.allocate(1 + SIGNATURE_BYTES + body.length)
            .put(VERSION)
            .put(sign(body))
            .put(body)
            .array();
    return TEXT.encodeToString(token);
  }

  private static byte[] body(PagePosition position) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(position.source(), out);
      out.writeInt(position.generation());
      write(position.digest(), out);
      out.writeInt(position.after().size());
      for (Map.Entry<String, Object> part : position.after().entrySet()) {
        write(part.getKey(), out);
        out.writeBoolean(part.getValue() instanceof Number);
        write(part.getValue().toString(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return bytes.toByteArray();
  }

  private static void write(String text, DataOutputStream out) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Reads {@link #body} back. */
  private static PagePosition position(byte[] body) {
    try {
      ByteBuffer in = ByteBuffer.wrap(body);
      String source = text(in);
      int generation = in.getInt();
      String digest = text(in);
      Map<String, Object> after = new LinkedHashMap<>();
      for (int left = size(in); left > 0; left--) {
        String name = text(in);
        boolean isNumber = in.get() != 0;
        String value = text(in);
        after.put(name, isNumber ? new BigDecimal(value) : value);
      }
      if (in.hasRemaining()) {
        throw new IllegalStateException("signed with our key, yet longer than what we write");
      }
      return new PagePosition(source, generation, digest, after);
    } catch (BufferUnderflowException | NumberFormatException e) {
      throw new IllegalStateException("signed with our key, yet not written by us", e);
    }
  }

  /** Reads a count of elements, each of which takes at least one byte of the rest. */
  private static int size(ByteBuffer in) {
    int size = in.getInt();
    if (size < 0 || size > in.remaining()) {
      throw new IllegalStateException(
          "signed with our key, yet with %d of %d bytes".formatted(size, in.remaining()));
    }
    return size;
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[size(in)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Reads {@link #write} back.
   *
   * @throws InvalidPageTokenException if it was not written with this key, or was changed
   */
  public PagePosition read(String text) {
    byte[] token = decode(text);
    if (token.length <= 1 + SIGNATURE_BYTES || token[0] != VERSION) {
      throw notOurs();
    }
    ByteBuffer parts = ByteBuffer.wrap(token, 1, token.length - 1);
    byte[] signature = new byte[SIGNATURE_BYTES];
    parts.get(signature);
    byte[] body = new byte[parts.remaining()];
    parts.get(body);
    if (!MessageDigest.isEqual(signature, sign(body))) {
      throw notOurs();
    }
    return position(body);
  }

  /** One token has one text: characters whose last bits do not count are not taken. */
  private static byte[] decode(String text) {
    if (text.length() <= MAX_CHARACTERS) {
      try {
        byte[] token = Base64.getUrlDecoder().decode(text);
        if (TEXT.encodeToString(token).equals(text)) {
          return token;
        }
      } catch (IllegalArgumentException e) {
        throw notOurs();
      }
    }
    throw notOurs();
  }

  private static InvalidPageTokenException notOurs() {
    return new InvalidPageTokenException(
        "it is none that was given here, or was cut or changed on its way, or the key changed;"
            + " start over without it");
  }

  private byte[] sign(byte[] body) {
    Mac mac = macs.get();
    mac.update(VERSION);
    return mac.doFinal(body);
  }

  private static Mac mac(SecretKeySpec key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /** A page token that cannot be used: not ours, changed on its way, or of another reading. */
  public static final class InvalidPageTokenException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public InvalidPageTokenException(String message) {
      super("page token: " + message);
    }
  }

  /**
   * Where the next page starts.
   *
   * @param source what is read, as in {@code view people-by-org}
   * @param generation of what is read
   * @param digest of the query
   * @param after names the last row that was seen, in texts and numbers; these may be read back as
   *     another {@link Number}
   */
  public record PagePosition(
      String source, int generation, String digest, Map<String, Object> after) {
    private static final ThreadLocal<MessageDigest> SHA_256 =
        ThreadLocal.withInitial(Sha256::newDigest);

    public PagePosition {
      Objects.requireNonNull(source, "source");
      Objects.requireNonNull(digest, "digest");
      after = Collections.unmodifiableMap(new LinkedHashMap<>(after));
    }

    /**
     * A position in the answer to a query.
     *
     * @param query the same text for the same query, and another for any other
     */
    public static PagePosition of(
        String source, int generation, String query, Map<String, Object> after) {
      return new PagePosition(source, generation, digest(query), after);
    }

    static String digest(String text) {
      return TEXT.encodeToString(SHA_256.get().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** A later position in the answer to the same query. */
    PagePosition further(Map<String, Object> last) {
      return new PagePosition(source, generation, digest, last);
    }

    /**
     * Refuses a position in something else.
     *
     * @throws InvalidPageTokenException if it is of another source
     */
    public void requireSource(String expected) {
      if (!source.equals(expected)) {
        throw new InvalidPageTokenException(
            "it is of %s, not of %s; repeat the query that gave it".formatted(source, expected));
      }
    }

    /**
     * Refuses a position in the answer to another query.
     *
     * @throws InvalidPageTokenException if it is of another query
     */
    public void requireQuery(String query) {
      if (!digest.equals(digest(query))) {
        throw new InvalidPageTokenException(
            "it is of another query, or of a view that is defined otherwise; repeat the query that"
                + " gave it, with nothing changed but the limit, or start over without it");
      }
    }
  }
}
