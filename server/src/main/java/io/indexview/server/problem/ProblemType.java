package io.indexview.server.problem;

import java.util.Locale;

/** What can be wrong with a request, as clients tell it apart. */
public enum ProblemType {
  BAD_REQUEST(400, "The request is not usable"),
  TOO_MANY_ROWS(400, "The rows lie in too many places to be sorted"),
  UNAUTHORIZED(401, "The request carries no valid token"),
  FORBIDDEN(403, "The request is refused"),
  VIEW_NOT_FOUND(404, "There is no such view"),
  NOT_WRITABLE(403, "The server does not keep the records of this record set"),
  RECORD_SET_NOT_FOUND(404, "There is no such record set"),
  VERIFICATION_NOT_FOUND(404, "There is no such verification"),
  SOURCE_NOT_FOUND(404, "There is no such source"),
  RECORD_NOT_FOUND(404, "There is no such record"),
  PATH_NOT_FOUND(404, "There is nothing at this path"),
  METHOD_NOT_ALLOWED(405, "The path does not know this method"),
  NOT_ACCEPTABLE(406, "No representation of this kind"),
  VERSION_CONFLICT(409, "Something else was written meanwhile"),
  NOT_VERIFIABLE(409, "The view cannot be verified"),
  TARGET_NOT_READABLE(409, "The server cannot read the target of the view"),
  UNREADABLE_DEFINITION(409, "The definition of the view cannot be read"),
  NO_STANDBY(409, "The view has no generation to roll back to"),
  GENERATION_GONE(410, "The generation that the page belongs to is gone"),
  VERSION_MISMATCH(412, "It is not at the version that the request expects"),
  TOO_LARGE(413, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The request's body is of a kind that is not read here"),
  INVALID_DEFINITION(422, "The definition is not valid"),
  INVALID_RECORD(422, "The record is not valid"),
  INTERNAL(500, "The server failed"),
  UNREADABLE_RECORD(500, "The record cannot be read"),
  NOT_READY(503, "The view is not ready"),
  UNAVAILABLE(503, "Something that the server needs does not answer"),
  BUSY(503, "The server has too much to do"),
  FRESHNESS_TIMEOUT(504, "The view does not include the write yet");

  private static final String PREFIX = "urn:indexview:problem:";

  private final int status;
  private final String title;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
  }

  /** The identifier in an answer. */
  public String uri() {
    return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }
}
