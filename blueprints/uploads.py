"""Uploads of files for resources. The signed URL is the permission; no key is needed."""

from flask import Response, request
from flask.views import MethodView

from dryline.models.uploads import Upload
from dryline.models.workers import Worker
from dryline.schemas.resources import SignatureSchema, UploadQuerySchema, UploadUrlSchema
from dryline.storage.errors import NotFound
from dryline.web import files
from dryline.web.base import Area
from dryline.web.links import base_url

blp = Area("Uploads", "/", key_required=False, description="Uploads for file resources.")


@blp.route("/api/upload/<worker_id>/resource-upload-url", tags=["Resources"], get="getResourceUploadUrl")
class ResourceUploadUrl(MethodView):
    @blp.arguments(UploadQuerySchema, location="query")
    @blp.response(200, UploadUrlSchema)
    def get(self, query, worker_id):
        """Get a URL to upload a file to.

        Send the bytes with PUT. The URL is valid for one hour of API time and needs no key. Without its query it is the
        `s3FilePath` of `createFileResource`.
        """
        worker = Worker.by_id(worker_id)
        return {"upload_url": Upload.new_address(worker, base_url(), query["file_name"], query["content_type"])}


@blp.route("/uploads/<upload_id>/<file_name>", get="downloadUpload", put="putUpload")
class UploadByAddress(MethodView):
    @blp.arguments(SignatureSchema, location="query")
    @blp.response(200, {"type": "string", "format": "binary"}, content_type="application/octet-stream")
    @blp.errors(403)
    def get(self, query, upload_id, file_name):
        """Download an uploaded file.

        The URL is the resource's `signedS3FilePath`. 403 if the link was altered or has expired.
        """
        upload = Upload.from_link(upload_id, query["signature"])
        try:
            return files.file_response(upload.path, upload.mime_type, upload.file_name)
        except FileNotFoundError:  # deleted meanwhile
            raise NotFound(f"Upload {upload_id} not found.") from None

    @blp.arguments(SignatureSchema, location="query")
    @blp.response(200, description="The file is stored.")
    @blp.errors(403)
    def put(self, query, upload_id, file_name):
        """Upload a file.

        The URL comes from `getResourceUploadUrl`. The body is the file's bytes, of any content type. 403 if the link
        was altered or has expired.
        """
        Upload.receive(upload_id, query["signature"], request.get_data())
        return Response(status=200)
